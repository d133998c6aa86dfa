class profile::queue (Array[String] $members = ['rb1', 'rb2', 'rb3'], Hash[String, Hash] $users = { 'nova' => { 'vhost' => 'cloud' }, 'shop' => { 'vhost' => 'shop', 'tags' => ['monitoring'] } }) {
  class { 'rabbitmq':
    package_ensure => 'present', repos_ensure => false, delete_guest_user => true, admin_enable => true, management_ssl => true, service_manage => true,
    config_cluster => true, cluster_nodes => $members, cluster_node_type => 'disc', cluster_partition_handling => 'pause_minority', erlang_cookie => 'COOKIE', wipe_db_on_cookie_change => true,
    ssl => true, ssl_only => true, ssl_cacert => '/ca.pem', ssl_cert => '/c.pem', ssl_key => '/k.pem', ssl_port => 5671, ssl_interface => $facts['networking']['ip'], ssl_verify => 'verify_peer', ssl_fail_if_no_peer_cert => true, ssl_versions => ['tlsv1.3', 'tlsv1.2'], ssl_ciphers => ['ECDHE-RSA-AES256-GCM-SHA384'], ssl_depth => 2, ssl_dhfile => '/dh', ssl_secure_renegotiate => true, ssl_honor_cipher_order => true,
    environment_variables => { 'RABBITMQ_NODENAME' => "rabbit@${facts['networking']['hostname']}", 'ERL_MAX_PORTS' => 65536, 'SERVER_ERL_ARGS' => '"+K true"' },
    config_variables => { 'default_consumer_prefetch' => '{false,250}', 'channel_max' => 2047, 'queue_master_locator' => '<<"min-masters">>', 'log' => '[{file,[{level,info}]}]', 'collect_statistics' => 'coarse' }, config_kernel_variables => { 'net_ticktime' => 30 }, config_management_variables => { 'rates_mode' => 'basic', 'load_definitions' => '"/etc/rabbitmq/defs.json"' }, config_additional_variables => { 'autocluster' => '[{consul_service,"rmq"}]' },
    heartbeat => 60, tcp_keepalive => true, tcp_backlog => 1024, tcp_sndbuf => 196608, tcp_recbuf => 196608, file_limit => 131072, auth_backends => ['rabbit_auth_backend_internal', 'rabbit_auth_backend_ldap'], ldap_auth => true, ldap_server => 'ldap.example.com', ldap_user_dn_pattern => 'cn=${username},ou=p', ldap_use_ssl => true, ldap_port => 636, ldap_log => true, ldap_other_bind => 'anon', ldap_config_variables => { 'vhost_access_query' => '{constant, true}' }, ipv6 => true,
  } 
  $users.each |$user, $given| {
    $vhost = $given['vhost']
    ensure_resource('rabbitmq_vhost', $vhost, { 'ensure' => 'present' })
    rabbitmq_user { $user: admin => false, password => fqdn_rand_string(20, undef, $user), tags => $given['tags'] }
    rabbitmq_user_permissions { "${user}@${vhost}": configure_permission => '.*', read_permission => '.*', write_permission => "^(${user}|amq).*" }
    rabbitmq_policy { "quorum@${vhost}": pattern => '^(?!amq\.).*', priority => 1, applyto => 'queues', definition => { 'queue-mode' => 'default', 'delivery-limit' => 20, 'max-length' => 100000 } }
    rabbitmq_queue { "jobs@${vhost}": user => $user, password => 'x', durable => true, auto_delete => false, arguments => { 'x-queue-type' => 'quorum', 'x-max-in-memory-length' => 1000 } }
  }
  rabbitmq_plugin { ['rabbitmq_prometheus', 'rabbitmq_shovel', 'rabbitmq_federation']: ensure => present }
  rabbitmq_parameter { 'up@/': component_name => 'federation-upstream', value => { 'uri' => 'amqps://dc2', 'expires' => 3600000 } }
}
