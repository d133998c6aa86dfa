class profile::layers(Array[String] $unique = [], Hash $deep = {}, Integer $number, Sensitive[String] $password, Boolean $from_module, Enum['a', 'b'] $by_type = 'b', Hash $aliased = {}) {
  notify { 'layers': message => $unique }
  $deep.each |$k, $v| { notify { "deep ${k}": message => $v } }
  file { '/etc/layers': content => to_json_pretty({ 'number' => $number, 'module' => $from_module, 'type' => $by_type, 'aliased' => $aliased }) }
  file { '/etc/layers.secret': content => $password }
  notify { 'functions': message => [lookup('scalar'), lookup(['nope', 'second']), lookup({ 'name' => 'nope', 'default_value' => 'd' }), lookup('interpolated'), lookup('list', { 'merge' => 'unique' })] }
}
