class base(Array[String] $users, Base::Level $level = low, Array $tags = [], String $motto = 'none', Base::Tree $tree = { 'a' => { 'b' => 1 } }) {
  $lines = base::fold($tree)
  file { '/etc/base':
    content => epp('base/base', { 'lines' => $lines + $users }),
    tag     => $tags,
  }
  notify { "level ${level}": message => "${motto}: ${lines}" }
}
