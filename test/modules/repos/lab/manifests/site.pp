notify { "site of ${trusted['certname']}": tag => ['site', $environment] }
$top = { 'list' => [1, 2, { 'x' => 'y' }], 'undef' => undef }
case $trusted['certname'] {
  /^n[12]\./: { include base, net }
  /^n3/: { include base }
  /^bad(\d+)/: { include "broken::case${1}" }
  'old.example.com': { include old }
  'odd.example.com': { include odd }
  default: { fail("no code for ${trusted['certname']}") }
}
class odd {
  include base::values
  Notify <| title == 'values' |> { message => "seen by ${title}" }
}
