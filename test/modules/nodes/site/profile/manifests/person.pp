define profile::person(Integer $uid, String $shell = '/bin/sh', Array $groups = [], Optional[String] $note = undef, Enum['present', 'absent'] $ensure = 'present') {
  user { $title: ensure => $ensure, uid => $uid, shell => $shell, groups => $groups, comment => $note }
  ensure_resource('file', "/home/${title}", { 'ensure' => 'directory', 'owner' => $title })
  if $shell =~ /zsh$/ { ensure_packages(["zsh", "tmux"]) }
}
