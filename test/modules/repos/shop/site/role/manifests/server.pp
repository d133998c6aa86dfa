# Everything that Hiera says.
class role::server {
  lookup('classes', Array[String[1]]).include
  Class['profile::base'] -> Profile::Account <| |>
  tag('server')
}
