# Mail, logins, firewalls and what is on every machine.
node 'mail01.example.com' {
  class { 'postfix': myorigin => 'example.com', inet_interfaces => 'all', mta => true, relayhost => '[smtp.example.com]:587', mydestination => '$myhostname, localhost', mynetworks => '127.0.0.0/8 10.0.0.0/8', root_mail_recipient => 'ops@example.com', smtp_listen => 'all', satellite => false, use_amavisd => true, use_dovecot_lda => true, master_smtps => 'smtps inet n - n - - smtpd', configs => { 'message_size_limit' => { 'value' => '1' } } }
  postfix::config { 'smtpd_tls_cert_file': value => '/c'; 'smtpd_sasl_auth_enable': value => 'yes'; 'gone': ensure => 'absent' }
  postfix::hash { '/etc/postfix/sender_access': ensure => present, content => 'a b' }
  postfix::mailalias { 'ops': recipient => ['a@example.com', 'b@example.com'] }
  postfix::map { 'sender': type => 'regexp', content => '/x/ REJECT', path => '/etc/postfix/sender' }
  mailalias { 'abuse': ensure => present, recipient => ['root', '|/bin/x'] }
}

node 'login01.example.com', 'login02.example.com' {
  class { 'ssh': server_options => { 'PermitRootLogin' => 'no', 'Match User www-data' => { 'ChrootDirectory' => '%h', 'ForceCommand' => 'internal-sftp' }, 'Port' => [22, 2222], 'ListenAddress' => ['10.0.0.21', '[::1]'], 'AcceptEnv' => 'LANG LC_*' }, client_options => { 'Host *.example.com' => { 'User' => 'andromeda', 'ProxyCommand' => 'x' }, 'HashKnownHosts' => 'yes' }, users_client_options => { 'bob' => { 'options' => { 'Host *.alice.fr' => { 'User' => 'alice' } } } }, storeconfigs_enabled => true }
  ssh::client::config::user { 'carol': ensure => present, user_home_dir => '/home/carol', manage_user_ssh_dir => false, options => { 'HashKnownHosts' => 'yes' } }
  ssh::server::match_block { 'sftp_only': type => 'User', options => { 'ChrootDirectory' => '/sftp/%u', 'X11Forwarding' => 'no' } }
  @user { 'admin1': uid => 3001, groups => ['sudo'], tag => ['admin', 'dc1'] }
  @user { 'admin2': uid => 3002, groups => ['adm'], tag => 'admin' }
  @user { 'dev1': uid => 3003, tag => 'dev' }
  User <| tag == 'admin' and uid != 3002 |> { shell => '/bin/zsh', groups +> ['wheel'] }
  realize(User['dev1'])
  Ssh_authorized_key { type => 'ssh-ed25519', user => 'admin1' }
  ssh_authorized_key { 'k1': key => 'AAAA', options => ['from="10.0.0.1"', 'no-pty'] }
  ssh_keygen { 'admin1': type => 'rsa', bits => 4096 }
  @@sshkey { $facts['networking']['fqdn']: type => 'ssh-rsa', key => 'AAAA', host_aliases => [$facts['networking']['hostname'], $facts['networking']['ip']] }
  Sshkey <<| host_aliases == 'web08' or title != 'gone' |>>
  posix_acl { '/srv/shared': action => exact, permission => ['user::rwx', 'group:www-data:r-x'], provider => posixacl, recursive => true }
}

node 'gateway01.example.com' {
  resources { 'firewall': purge => true }
  resources { 'firewallchain': purge => true }
  class { 'firewall': ensure => running, ensure_v6 => stopped }
  Firewall { before => Firewall['999 drop all'], require => Class['firewall'] }
  firewallchain { 'INPUT:filter:IPv4': ensure => present, policy => drop, purge => true, ignore => ['-j fail2ban', '--comment "x"'] }
  firewallchain { ['LOG_DROP:filter:IPv4', 'LOG_DROP:filter:IPv6']: ensure => present }
  firewall { '000 accept all icmp': proto => 'icmp', action => 'accept', before => undef }
  firewall { '100 web': dport => [80, 443, '8000-8100'], proto => 'tcp', action => 'accept', source => '10.0.0.0/8', state => ['NEW', 'ESTABLISHED'], ctstate => 'NEW' }
  firewall { '200 nat': chain => 'POSTROUTING', jump => 'MASQUERADE', proto => 'all', outiface => 'eth0', source => '10.1.2.0/24', table => 'nat' }
  firewall { '300 limit': proto => 'tcp', dport => 22, limit => '10/sec', burst => 5, action => 'accept', recent => 'set', rname => 'SSH', rsource => true }
  firewall { '400 mark': table => 'mangle', chain => 'PREROUTING', jump => 'MARK', set_mark => '0x3e8/0xffffffff', tcp_flags => 'FIN,SYN,RST,ACK SYN', log_prefix => 'x' }
  firewall { '999 drop all': proto => 'all', action => 'drop', before => undef }
  mount { '/srv': ensure => mounted, device => 'LABEL=srv', fstype => 'xfs', options => 'defaults,noatime', dump => 0, pass => 2 }
  cron { 'backup': command => '/usr/local/sbin/backup', hour => [2, '*/4'], minute => fqdn_rand(60, 'backup'), weekday => 'Sunday', environment => ['PATH=/bin', 'MAILTO=x'] }
  host { 'router': ip => '10.0.0.1', host_aliases => ['gw', 'gateway'] }
  selboolean { 'httpd_can_network_connect': value => on, persistent => true }
  selmodule { 'm': ensure => present }
  alternatives { 'editor': path => '/usr/bin/vim' }
  openssl::certificate::x509 { 'gw': country => 'CH', organization => 'Example', commonname => $facts['networking']['fqdn'], altnames => ['a.example.com', '10.0.0.1'], days => 365, base_dir => '/etc/ssl/gw', owner => 'root' }
  openssl::export::pkcs12 { 'gw': basedir => '/etc/ssl', pkey => '/k', cert => '/c', in_pass => 'i', out_pass => 'o' }
}
