class role::stages {
  stage { 'first': before => Stage['main'] }
  stage { 'last': }
  Stage['main'] -> Stage['last']
  class { 'profile::repos': stage => 'first' }
  class { 'profile::report': stage => last, message => 'done' }
  include profile::layers
}
