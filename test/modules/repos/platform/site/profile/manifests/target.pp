define profile::target (Stdlib::IP::Address $address, Hash[String, String] $labels = {}, Stdlib::Port $port = 9100) {
  concat::fragment { "target ${title}":
    target  => '/etc/prometheus/targets.yml',
    content => inline_template("- targets: ['<%= @address %>:<%= @port %>']\n  labels:\n<% @labels.sort.each do |k, v| -%>\n    <%= k %>: \"<%= v %>\"\n<% end -%>\n"),
    order   => $labels['group'] ? { undef => '90', default => "5${labels['group']}" },
  }
}
