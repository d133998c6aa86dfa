define profile::admin (
  Integer[1000]         $uid,
  String[1]             $key,
  Array[String]         $groups      = [],
  Enum[present, absent] $ensure      = present,
  Stdlib::Absolutepath  $shell       = '/bin/bash',
  Optional[String]      $extra_group = undef,
) {
  $home = $title ? { 'root' => '/root', default => "/home/${title}" }
  user { $title:
    ensure     => $ensure,
    uid        => $uid,
    groups     => unique(delete_undef_values($groups + [$extra_group])).filter |$g| { $g !~ /^--/ },
    home       => $home,
    shell      => $shell,
    managehome => true,
    purge_ssh_keys => $ensure == present,
  }
  if $ensure == present {
    ssh_authorized_key { "${title}@admin":
      user => $title,
      type => 'ssh-ed25519',
      key  => $key,
    }
    file {
      default: ensure => file, owner => $title, mode => '0600';
      "${home}/.vimrc": content => "set nocompatible\n";
      "${home}/.profile": content => inline_epp("export EDITOR=vim\nexport WHO=<%= \$who.upcase %>\n", { 'who' => $title });
    }
  }
}
