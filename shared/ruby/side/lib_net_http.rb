# frozen_string_literal: true

require 'socket'
require 'uri'

# Code that names these loads; whoever asks for something over the network fails.
module Net
  class Protocol
    extend Understudy::NoNetwork
  end

  class HTTP < Protocol
    class << self
      %i[start get get_response get_print post post_form version_1_2].each { |method| alias_method method, :refuse }
    end

    # Requests may be built.
    class Request
      attr_accessor :body

      def initialize(path, headers = {})
        @path = path
        @headers = headers || {}
      end

      def [](name)
        @headers[name]
      end

      def []=(name, value)
        @headers[name] = value
      end
      alias add_field []=

      def basic_auth(*); end
      def set_form_data(*); end
    end
    %i[Get Head Post Put Delete Patch Options].each { |name| const_set(name, Class.new(Request)) }
  end

  class HTTPResponse
    def self.===(_other)
      false
    end
  end
  %i[HTTPSuccess HTTPRedirection HTTPClientError HTTPServerError HTTPOK HTTPNotFound HTTPUnauthorized HTTPForbidden HTTPCreated
     HTTPNoContent HTTPFound HTTPMovedPermanently].each { |name| const_set(name, Class.new(HTTPResponse)) }

  ProtocolError = Class.new(StandardError)
  HTTPError = Class.new(ProtocolError)
  HTTPBadResponse = Class.new(StandardError)
  OpenTimeout = Class.new(StandardError)
  ReadTimeout = Class.new(StandardError)
end
