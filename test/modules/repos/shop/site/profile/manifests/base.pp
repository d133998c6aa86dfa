class profile::base(Array[String[1]] $packages, String $banner, Boolean $audit = $facts['audit'] ? { true => true, default => false }) {
  package { $packages: }
  class { 'motd': text => $banner, stage => 'prepare' }
  include profile::accounts
  if $audit { file { '/etc/audit.conf': content => String($packages, '%(a'), audit => all } }
  unless $facts['virtual'] in [docker, lxc] {
    file { default: ensure => file, mode => '0600';
      '/etc/base.conf': content => @("END"/L);
        # ${title} of ${facts['networking']['fqdn']} \
        on one line
          kept: ${$packages.join(', ')}
        | END
      ['/etc/base.d/a', '/etc/base.d/b']: content => "x\n", tag => 'fragment';
    }
  }
}
