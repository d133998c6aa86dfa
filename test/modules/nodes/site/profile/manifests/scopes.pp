class profile::scopes {
  File { mode => '0644', group => 'adm' }
  $local = 'parent'
  $shared = 'shared'
  file { '/etc/scoped': content => 'p', ensure => file }
  file { '/etc/scoped.d': ensure => directory }
  service { 'scoped': ensure => running, enable => true, require => Notify['scoped'] }
  notify { 'scoped': }
  profile::outer { 'inherits defaults': depth => 1 }
}
