class profile::access {
  class { 'ssh::server': storeconfigs_enabled => false, options => { 'PermitRootLogin' => 'no', 'Port' => [22, 2222], 'AllowGroups' => ['ops', 'sftp'], 'Match Group sftp' => { 'ChrootDirectory' => '/srv/%u', 'ForceCommand' => 'internal-sftp', 'AllowTcpForwarding' => 'no' }, 'HostKey' => ['/etc/ssh/ssh_host_ed25519_key'] } }
  class { 'ssh::client': storeconfigs_enabled => false, options => { 'Host *.internal' => { 'ProxyJump' => 'bastion', 'User' => 'ops' }, 'Host *' => { 'SendEnv' => 'LANG LC_*' } } }
  ssh::client::config::user { 'ops': ensure => present, options => { 'HashKnownHosts' => 'yes', 'Host a' => { 'Port' => 2222 } }, user_home_dir => '/home/ops', manage_user_ssh_dir => true }
  ssh_keygen { 'ops': type => 'rsa', comment => 'ops key' }
  if $facts['os']['family'] != 'Suse' { class { 'sssd': services => ['nss', 'pam', 'ssh', 'sudo'], domains => { 'corp' => { 'id_provider' => 'ldap', 'auth_provider' => 'krb5', 'ldap_uri' => ['ldaps://l1', 'ldaps://l2'], 'cache_credentials' => true, 'entry_cache_timeout' => 600 } } } }
  @user { ['ops', 'deploy', 'build']: ensure => present, managehome => true }
  realize(User['ops'], User['deploy'])
  User <| title != 'build' |> -> Ssh_authorized_key <| |>
  ['ops', 'deploy'].each |$u| { ssh_authorized_key { "${u}@key": user => $u, type => 'ssh-ed25519', key => base64('encode', sha256($u), 'strict') } }
  include systemd
  systemd::unit_file { 'app.service': content => "[Unit]\nDescription=app\n[Service]\nExecStart=/srv/app\n", enable => true, active => true }
  systemd::dropin_file { 'limits.conf': unit => 'app.service', content => "[Service]\nLimitNOFILE=65536\n" }
  systemd::tmpfile { 'app.conf': content => "d /run/app 0755 root root -\n" }
  systemd::service_limits { 'db.service': limits => { 'LimitNOFILE' => 8192, 'LimitCORE' => 'infinity' }, restart_service => false }
  systemd::network { 'eth9.network': content => "[Match]\nName=eth9\n", restart_service => true }
  systemd::timer { 'job.timer': timer_content => "[Timer]\nOnCalendar=daily\n", service_content => "[Service]\nExecStart=/bin/true\n", active => true, enable => true }
  sysctl::value { 'net.ipv4.ip_forward': value => '1' }
  posix_acl { '/srv/shared': action => set, permission => ['user::rwx', 'group:ops:rwx', 'default:other::---'], recursive => true }
  alternatives { 'editor': path => '/usr/bin/vim.basic' }
  vcsrepo { '/srv/app': ensure => latest, provider => git, source => { 'origin' => 'https://g/a.git', 'up' => 'https://g/b.git' }, remote => 'origin', revision => 'v1', user => 'deploy', depth => 1 }
  archive { '/opt/tool.tgz': source => 'https://d/tool.tgz', checksum => sha256('x'), checksum_type => 'sha256', extract => true, extract_path => '/opt', creates => '/opt/tool/bin' }
  ini_setting { 'x': ensure => present, path => '/etc/x.ini', section => 's', setting => 'a', value => 'b' }
  ini_subsetting { 'y': path => '/etc/y', setting => 'JAVA', subsetting => '-Xmx', value => profile::share(0.5) }
  openssl::certificate::x509 { 'web': country => 'DE', organization => 'Example', commonname => $facts['networking']['fqdn'], altnames => ['a', 'b'], email => 'a@b', days => 365, base_dir => '/etc/ssl' }
}
