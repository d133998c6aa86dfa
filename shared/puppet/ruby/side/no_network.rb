# frozen_string_literal: true

# Network libraries load normally, so that code may name and create their objects. Any access to the
# network fails with an error of the called library.
require_relative 'after_loading'

module Understudy
  module NoNetwork
    module Connecting
      def start(*, **, &_block)
        Understudy.unavailable!("#{self.class}#start", 'network')
      end

      def connect(*)
        Understudy.unavailable!("a connection of #{self.class}", 'network')
      end

      def request(*, **, &_block)
        Understudy.unavailable!("#{self.class}#request", 'network')
      end
    end

    module Requesting
      %i[start get get_response get_print post post_form put].each do |method|
        define_method(method) { |*, **, &_block| Understudy.unavailable!("#{self}.#{method}", 'network') }
      end
    end

    # Prepended to Resolv, its instances, and its nested classes.
    module Resolving
      %i[getaddress getaddresses getname getnames each_address each_name getresource getresources each_resource fetch_resource]
        .each do |method|
        define_method(method) do |*, **, &_block|
          Understudy.unavailable!("#{is_a?(Module) ? "#{self}." : "#{self.class}#"}#{method}", 'network')
        end
      end
    end

    module Opening
      def open_uri(name, *, **)
        Understudy.unavailable!("URI.open (#{name})", 'network')
      end
    end

    # The part of OpenSSL that is for connections: code names its constants before it connects.
    SSL_CONSTANTS = { VERIFY_NONE: 0, VERIFY_PEER: 1, VERIFY_FAIL_IF_NO_PEER_CERT: 2, VERIFY_CLIENT_ONCE: 4 }.freeze

    AfterLoading.of('openssl') do
      next if ::OpenSSL.const_defined?(:SSL)

      ssl = ::OpenSSL.const_set(:SSL, Module.new)
      SSL_CONSTANTS.each { |name, value| ssl.const_set(name, value) }
      ssl.const_set(:SSLError, Class.new(::OpenSSL::OpenSSLError))
      %i[SSLContext SSLSocket].each { |name| ssl.const_set(name, Class.new { extend Refusing }).refuse_all(:new, :open) }
    end
    AfterLoading.of('net/http') do
      ::Net::HTTP.prepend(Connecting)
      ::Net::HTTP.singleton_class.prepend(Requesting)
    end
    AfterLoading.of('resolv') do
      [::Resolv, ::Resolv::DNS, ::Resolv::Hosts, ::Resolv::MDNS].each { |resolver| resolver.prepend(Resolving) }
      ::Resolv.singleton_class.prepend(Resolving)
    end
    AfterLoading.of('open-uri') { ::OpenURI.singleton_class.prepend(Opening) }
  end
end
