# frozen_string_literal: true

# Constants of address families, which `ipaddr` needs. There is no network: every use of it fails,
# and no `rescue` prevents that.
%i[BasicSocket Socket IPSocket TCPSocket UDPSocket UNIXSocket UNIXServer TCPServer Addrinfo SocketError].each do |name|
  Object.__send__(:remove_const, name) if Object.autoload?(name)
end

module Understudy
  # Class methods that access the network.
  module NoNetwork
    %i[new open for_fd tcp udp unix ip pair tcp_server_sockets accept_loop getaddress getaddresses getname getnames gethostbyname
       gethostbyaddr gethostname getaddrinfo getnameinfo getifaddrs getservbyname each_address each_name ip_address_list
       each_resource getresource getresources].each do |method|
      define_method(method) { |*, **, &_block| Understudy.unavailable!("#{name}.#{method}", 'network') }
    end
  end
end

SocketError = Class.new(StandardError) unless defined?(SocketError)

class BasicSocket
  extend Understudy::NoNetwork
end

class Socket < BasicSocket
  AF_UNSPEC = 0
  AF_INET = 2
  AF_INET6 = 10
end

IPSocket = Class.new(BasicSocket)
TCPSocket = Class.new(IPSocket)
UDPSocket = Class.new(IPSocket)
TCPServer = Class.new(TCPSocket)
UNIXSocket = Class.new(BasicSocket)
UNIXServer = Class.new(UNIXSocket)
Addrinfo = Class.new(BasicSocket)
