class profile::db::params {
  $defaults = $facts['os']['family'] ? {
    'Debian'  => { 'port' => 5432, 'max_connections' => 100 },
    /(?i)red/ => { 'port' => 5433 },
  }
}
