tt.func @barrier() {
  ttg.barrier everything
  tt.return
}
