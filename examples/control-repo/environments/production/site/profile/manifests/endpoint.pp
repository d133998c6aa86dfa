# Something to watch: a file in the monitor's folder of targets.
#
# @param port where it listens
# @param host its name
define profile::endpoint (
  Integer[1, 65535] $port,
  String[1]         $host = $title,
) {
  file { "${profile::monitor::folder}/${host}.target":
    ensure  => file,
    content => "${host}:${port}\n",
  }
}
