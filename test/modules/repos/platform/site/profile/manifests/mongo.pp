class profile::mongo (Array[String] $members = ['mo1:27017', 'mo2:27017', 'mo3:27017']) {
  class { 'mongodb::globals': manage_package_repo => false, version => '4.4.8' }
  class { 'mongodb::server': port => 27017, bind_ip => ['127.0.0.1', $facts['networking']['ip']], auth => true, replset => 'main', keyfile => '/etc/mongo.key', set_parameter => ['diagnosticDataCollectionEnabled: true'], slowms => 200, profile => '1' }
  class { 'mongodb::client': }
}
