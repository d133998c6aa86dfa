# What the language offers to whole nodes: stages, virtual and exported resources, overrides, scopes, templates, data types.
node /^lang([a-z]+?)(\d+)\.(.*)$/ {
  $number = Integer($2, 10)
  notify { 'captures': message => "${1} ${number} of ${3}" }
  include "role::${1}"
}

node 'enc01.example.com' {
  notify { 'classified': message => "${::owner} ${facts['os']['name']} ${tier}" }
}

# What Ruby decodes is bytes: a String to code, a Binary in the catalog.
node 'langbytes01.example.com' {
  $bytes = base64('decode', 'aGVsbG8=')
  $euro = base64('decode', '4oKs')
  $texts = {
    'alone'       => $bytes,
    'first'       => "${bytes} and ${facts['networking']['hostname']}\n",
    'later'       => "said: ${bytes}",
    'not ASCII'   => "${bytes} ü",
    'euro'        => "${euro}${bytes}",
    'in a list'   => [$bytes, { 'key' => $bytes }],
    'of a list'   => [$bytes, 'x'].map |String $text| { $text }[0],
    'sliced'      => $bytes[1, 3],
    'upper'       => upcase($bytes),
    'substituted' => $bytes.regsubst('l', 'L', 'G'),
    'joined'      => join(['a', $bytes], ','),
    'chosen'      => $bytes ? { /^HELLO$/ => 'no', 'HELLO' => $bytes, default => 'neither' },
    'rendered'    => inline_template('<%= @bytes %>!'),
    'equal'       => [$bytes == 'hello', $bytes =~ Pattern[/ell/], $bytes in ['hello'], 'ell' in $bytes],
    'counted'     => Integer(base64('decode', 'MTI=')) + base64('decode', 'MzA='),
    'a secret'    => Sensitive($bytes),
  }
  $texts.each |String $title, Any $text| {
    notify { $title: message => $text }
  }
  profile::check { "check ${bytes}": command => $bytes }
  create_resources('notify', { 'created' => { 'message' => $bytes } })
  Notify <| message == 'hello' |> { noop => true }
  file { "/srv/${bytes}": content => $bytes, tag => $bytes }
}
