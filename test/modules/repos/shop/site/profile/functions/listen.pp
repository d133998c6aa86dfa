# A line for each port; the first is the default one.
function profile::listen(Array[Integer[1, 65535], 1] $ports, *$rest) >> Array[String] {
  $ports.map |$index, $port| {
    $suffix = $index ? { 0 => ' default', default => '' }
    "listen ${port}${suffix};${rest.join(' ')}"
  }
}
