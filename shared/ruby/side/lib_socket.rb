# frozen_string_literal: true

# Numbers of address families, which `ipaddr` needs; there is no network: whoever asks for it fails, whatever it rescues.
%i[BasicSocket Socket IPSocket TCPSocket UDPSocket UNIXSocket TCPServer Addrinfo].each do |name|
  Object.__send__(:remove_const, name) if Object.autoload?(name)
end

module Understudy
  module NoNetwork
    def refuse(*)
      raise NotImplementedError, 'the network is not available to code of modules'
    end

    %i[new open getaddress getaddresses getname getnames gethostbyname gethostname getaddrinfo getnameinfo tcp udp ip
       each_address each_name ip_address_list].each { |method| alias_method method, :refuse }
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
Addrinfo = Class.new(BasicSocket)
