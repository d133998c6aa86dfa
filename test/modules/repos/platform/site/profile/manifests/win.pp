class profile::win {
  concat { 'C:/ProgramData/app.ini': ensure => present, ensure_newline => true }
  ['b', 'a', 'c'].each |$i, $s| { concat::fragment { $s: target => 'C:/ProgramData/app.ini', order => 10 - $i, content => "[${s}]\r\nn=${i}" } }
  archive { 'C:/x.zip': source => 'https://d/x.zip', extract => true, extract_path => 'C:/x', creates => 'C:/x/b.exe' }
  file { 'C:/x': ensure => directory, source_permissions => ignore }
  file { 'C:/motd.txt': content => profile::crlf("Welcome to ${facts['os']['name']}\nBe good\n") }
  exec { 'install': command => 'msiexec /i x.msi /qn', path => $facts['os']['windows']['system32'], unless => 'cmd.exe /c if exist C:\x exit 0' }
  user { 'svc': ensure => present, groups => ['Administrators'], password => Sensitive('P@ss') }
  package { 'App': ensure => '1.2', source => 'C:\x\app.msi', install_options => ['/qn', { 'INSTALLDIR' => 'C:\app' }] }
}
