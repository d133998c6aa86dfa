class profile::mail {
  class { 'postfix': relayhost => '[smtp.example.com]:587', myorigin => 'example.com', mydestination => 'localhost', inet_interfaces => 'loopback-only', root_mail_recipient => 'ops@example.com', master_smtp => 'smtp inet n - n - - smtpd', manage_mailx => false, mynetworks => '127.0.0.0/8' }
  postfix::config { 'smtp_tls_security_level': value => 'encrypt'; 'smtp_sasl_auth_enable': value => 'yes'; 'message_size_limit': ensure => 'present', value => '52428800' }
  postfix::hash { '/etc/postfix/sasl': ensure => 'present', content => "[smtp.example.com]:587 u:p\n" }
  mailalias { ['abuse', 'hostmaster']: recipient => ['ada', 'grace'] }
  class { 'xinetd': purge_confdir => true }
  xinetd::service { 'rsyncd': port => 873, server => '/usr/bin/rsync', server_args => '--daemon', socket_type => 'stream', disable => 'no', only_from => '10.0.0.0/8', env => 'A=b' }
  class { 'rsync::server': use_xinetd => false, gid => 'nogroup', modules => { 'data' => { 'path' => '/srv/data', 'read_only' => 'no', 'secrets_file' => '/s', 'auth_users' => ['a', 'b'], 'hosts_allow' => ['10.0.0.0/8', '::1'] } } }
  rsync::get { '/srv/mirror': source => 'rsync://m/x/', exclude => ['*.iso', 'tmp/'], timeout => '900', purge => true, keyfile => '/k' }
  class { 'tftp': directory => '/srv/tftp', inetd => false, options => '--secure' }
  tftp::file { 'pxelinux.0': source => 'puppet:///modules/profile/x' }
}
