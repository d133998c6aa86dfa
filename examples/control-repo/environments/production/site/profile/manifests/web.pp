# A web server: its configuration, and its endpoint for those who watch.
#
# @param port where it listens
class profile::web (
  Integer[1, 65535] $port,
) {
  require profile::base
  $file = "${profile::base::root}/etc/web.conf"

  file { $file:
    ensure  => file,
    content => @("CONF"),
      # Managed by Puppet
      Listen ${port}
      ServerName ${trusted['certname']}
      | CONF
  }
  ~> notify { "web server configured on port ${port}": }

  @@profile::endpoint { $trusted['certname']:
    port => $port,
    tag  => 'web',
  }
}
