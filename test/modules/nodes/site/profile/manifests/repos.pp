class profile::repos(Hash[String, Struct[{ url => Stdlib::HTTPUrl, Optional[enabled] => Boolean }]] $repos = {}) {
  $repos.each |$name, $repo| {
    file { "/etc/repos.d/${name}": content => "${repo['url']} ${pick($repo['enabled'], true)}\n" }
  }
}
