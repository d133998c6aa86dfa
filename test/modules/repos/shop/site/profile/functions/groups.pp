function profile::groups(Hash $settings) >> Array[String] {
  $settings.get('groups').lest || { [] }.filter |$group| { $group[0, 2] != '--' }
}
