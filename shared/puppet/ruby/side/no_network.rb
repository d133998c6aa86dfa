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
