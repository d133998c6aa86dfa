class profile::forge {
  class { 'powerdns': }
  class { 'powerdns::mysql': user => 'p', password => 'p', host => 'h', dbname => 'd', package => 'x', ensure => 'present' }
  datacat { '/etc/dc.yaml': template_body => "<%= @data.sort.map { |k, v| [k, v].flatten.join('=') }.join(',') %>\n" }
  datacat_fragment { 'one': target => '/etc/dc.yaml', data => { 'a' => [1, 2] } }
}
