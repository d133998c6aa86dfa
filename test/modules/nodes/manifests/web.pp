# Web servers, DNS, package repositories.
node /^web\d+\.example\.com$/ {
  include profile::web
}

node 'proxy01.example.com' {
  class { 'apache': default_vhost => false, default_mods => false, mpm_module => 'event', server_tokens => 'Prod', trace_enable => 'Off', log_level => 'info', timeout => 30, keepalive => 'On', max_keepalive_requests => 200, default_confd_files => false }
  class { 'apache::mod::ssl': ssl_protocol => ['all', '-SSLv3', '-TLSv1'], ssl_cipher => 'HIGH:!aNULL', ssl_honorcipherorder => true, ssl_stapling => true, ssl_sessioncachetimeout => '600' }
  class { 'apache::mod::proxy': proxy_requests => 'Off', allow_from => '10.0.0.0/8' }
  class { 'apache::mod::status': requires => { 'enforce' => 'any', 'requires' => ['ip 10.0.0.0/8', 'host x'] }, extended_status => 'On' }
  class { 'apache::mod::expires': expires_active => true, expires_default => 'A300', expires_by_type => [{ 'text/json' => 'A600' }] }
  class { 'apache::mod::security': audit_log_parts => 'ABC', secpcrematchlimit => 1500, activated_rules => ['a.conf', 'b.conf'] }
  ['proxy_http', 'proxy_balancer', 'proxy_wstunnel', 'headers', 'rewrite', 'remoteip', 'ldap', 'authnz_ldap', 'cgid', 'dav', 'dav_fs', 'dir', 'mime', 'vhost_alias', 'userdir', 'info', 'negotiation', 'autoindex', 'reqtimeout', 'alias', 'setenvif', 'xsendfile', 'version', 'filter'].each |$mod| {
    if $mod in ['remoteip'] { apache::mod { $mod: } } else { include "apache::mod::${mod}" }
  }
  apache::balancer { 'puppet00': proxy_set => { 'stickysession' => 'JSESSIONID', 'lbmethod' => 'bytraffic' } }
  apache::balancermember { 'bm1': balancer_cluster => 'puppet00', url => 'ajp://x:8009', options => ['ping=5', 'retry=5'] }
  apache::vhost { 'shop.example.com':
    port => 443, docroot => '/srv/shop', ssl => true, ssl_cert => '/c', ssl_key => '/k', ssl_chain => '/ch', ssl_verify_client => 'optional', ssl_verify_depth => 2, ssl_options => ['+StdEnvVars', '+ExportCertData'],
    serveraliases => ['www.shop.example.com'], proxy_pass => [{ 'path' => '/app', 'url' => 'balancer://puppet00/', 'keywords' => ['nocanon'], 'params' => { 'retry' => 0 }, 'reverse_urls' => ['http://a/', 'http://b/'], 'setenv' => ['proxy-nokeepalive 1'] }, { 'path' => '/ws', 'url' => 'ws://b/', 'no_proxy_uris' => ['/ws/no'] }],
    directories => [{ 'path' => '/srv/shop', 'options' => ['-Indexes'], 'allow_override' => 'None', 'require' => { 'enforce' => 'all', 'requires' => ['valid-user', 'ip 10'] }, 'auth_type' => 'Basic', 'auth_name' => 'N', 'auth_user_file' => '/h', 'headers' => 'Set X-Robots-Tag "noindex"' }, { 'path' => '^/x', 'provider' => 'locationmatch', 'sethandler' => 'h', 'deny' => 'from all' }, { 'path' => '/ldap', 'provider' => 'location', 'auth_ldap_url' => 'ldap://l', 'require' => ['ldap-group cn=a', 'user b'], 'custom_fragment' => '# c' }],
    rewrites => [{ 'comment' => 'c', 'rewrite_base' => '/apps/', 'rewrite_cond' => ['%{HTTPS} off'], 'rewrite_rule' => ['^(.*)$ https://%{HTTP_HOST}$1 [R=301]'] }], redirect_source => ['/images', '/downloads'], redirect_dest => ['http://img/', 'http://dl/'], redirect_status => ['temp', 'permanent'],
    custom_fragment => 'CustomLog x', access_logs => [{ 'file' => 'a.log', 'format' => 'combined', 'env' => '!dontlog' }, { 'syslog' => 'syslog:local1', 'format' => 'common' }], error_documents => [{ 'error_code' => '503', 'document' => '/503' }], headers => ['set X "y"'], request_headers => ['set A b'], setenvif => ['Host "^x" y'], block => ['scm'], action => 'php', itk => { 'user' => 'u', 'group' => 'g' }, wsgi_daemon_process => { 'p1' => { 'processes' => 2, 'threads' => 3 } }, wsgi_process_group => 'p1', wsgi_script_aliases => { '/wsgi' => '/srv/w.py' },
  }
  apache::vhost { 'fallback': port => 80, docroot => false, manage_docroot => false, priority => false, redirect_status => 'permanent', redirect_dest => 'https://shop.example.com/', vhost_name => '10.0.0.21', ip => ['10.0.0.21', '127.0.0.1'], ip_based => true }
  apache::custom_config { 'tuning': content => 'ListenBackLog 1024', priority => '05' }
  apache::listen { '10.0.0.21:8443': }
}

node 'ns01.example.com' {
  class { 'dns': recursion => 'no', forwarders => ['10.0.0.2', '10.0.0.3'], acls => { 'trusted' => ['10.0.0.0/8', 'localhost'] }, allow_query => ['trusted'], additional_options => { 'version' => '"none"' }, controls => { '127.0.0.1' => { 'port' => 953, 'allowed_addresses' => ['127.0.0.1'], 'keys' => ['rndc-key'] } }, enable_views => false }
  dns::zone { 'example.com': soa => 'ns01.example.com', reverse => false, soaip => '10.0.0.21', allow_transfer => ['10.0.0.22'], also_notify => ['10.0.0.22'] }
  dns::zone { '0.0.10.in-addr.arpa': reverse => true, filename => 'db.10' }
  dns::zone { 'slave.example.com': zonetype => 'slave', masters => ['10.0.0.9'] }
  dns::key { 'dns-key': algorithm => 'hmac-sha256', secret => 'c2VjcmV0' }
  class { 'powerdns': }
  class { 'tftp': directory => '/srv/tftp', address => '10.0.0.21', options => '--secure' }
  tftp::file { 'pxelinux.0': content => 'x' }
}

node 'repo01.example.com' {
  class { 'apt': update => { 'frequency' => 'always', 'timeout' => 240, 'tries' => 3 }, purge => { 'sources.list' => true, 'preferences.d' => true }, proxy => { 'host' => 'proxy', 'port' => 3128, 'https' => true, 'ensure' => 'file' }, sources => { 'main' => { 'location' => 'http://mirror.example.com/debian', 'repos' => 'main contrib', 'release' => 'bookworm', 'include' => { 'src' => true } } }, ppas => {}, settings => { 'conf-x' => { 'content' => 'y' } }, keys => {}, pins => { 'stable' => { 'priority' => 500, 'release' => 'stable' } }, auth_conf_entries => [{ 'machine' => 'm', 'login' => 'l', 'password' => 'p' }] }
  apt::source { 'puppet': location => ['http://apt.puppet.com', 'x'][0], repos => 'puppet8', key => { 'id' => '6F6B15509CF8E59E6E469F327F438280EF8D349F', 'server' => 'pgp.mit.edu', 'options' => 'http-proxy="x"' }, pin => { 'priority' => '10', 'codename' => 'bookworm' }, architecture => 'amd64,i386', allow_unsigned => true }
  apt::pin { ['karmic', 'local']: priority => 700, packages => ['vim', 'emacs'], version => '1:2*' }
  apt::conf { 'unattended': priority => 50, content => 'APT::x "1";', notify_update => false }
  apt::key { 'old': ensure => absent, id => '0xD8FF6A61B6B0A5B1' }
  apt::mark { 'vim': setting => 'hold' }
  class { 'archive': }
  archive { '/tmp/x.tgz': source => 'https://x/x.tgz', checksum => '0' , checksum_type => 'md5', extract => true, extract_path => '/opt', creates => '/opt/x', cleanup => true, user => 'root', proxy_server => 'http://p:1' }
  staging::deploy { 'sample.tar.gz': source => 'puppet:///modules/staging/sample.tar.gz', target => '/usr/local' }
  vcsrepo { '/srv/git/app': ensure => latest, provider => git, source => { 'origin' => 'https://a', 'up' => 'https://b' }, revision => 'main', user => 'git', submodules => false, depth => 1, owner => 'git', group => 'git', require => User['git'] }
  user { 'git': ensure => present, managehome => true, purge_ssh_keys => ['%h/.ssh/authorized_keys'], password => Sensitive('*') }
  rsync::get { '/foo': source => 'rsync://h/repo/foo/', require => Package['rsync'], exclude => ['a', 'b'] }
  class { 'rsync::server': address => '10.0.0.21', use_xinetd => false, motd_file => true }
  rsync::server::module { 'repo': path => '/srv/repo', hosts_allow => ['10.0.0.0/8', 'h'], auth_users => ['u1', 'u2'], secrets_file => '/s', exclude => ['x'], max_connections => 10, incoming_chmod => false }
  ini_setting { 'a': ensure => present, path => '/tmp/a.ini', section => 's', setting => 'k', value => ['a', 'b'] }
  ini_subsetting { 'b': path => '/tmp/a.ini', section => '', key_val_separator => '=', setting => 'JAVA_ARGS', subsetting => '-Xmx', value => '512m' }
  create_ini_settings({ 'main' => { 'x' => 1, 'y' => { 'value' => 'z', 'ensure' => 'absent' } } }, { 'path' => '/tmp/c.ini' })
}
