class broken::case6 {
  notify { 'to nobody': require => File['/not/there'] }
}
