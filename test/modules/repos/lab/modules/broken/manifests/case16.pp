class broken::case16 {
  realize(Notify['ghost'], File['/ghost'])
}
