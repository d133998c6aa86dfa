class broken::case9 {
  notify { epp('broken/page.epp', { 'title' => 1 }): }
}
