class profile::accounts(Hash[String[1], Profile::User] $users = {}) {
  @group { ['wheel', 'adm', 'dba']: ensure => present, system => true }
  $users.each |String $name, Hash $settings| {
    profile::account { $name: * => $settings }
    profile::groups($settings).each |$group| { realize(Group[$group]) }
  }
}
