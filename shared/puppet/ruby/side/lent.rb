# frozen_string_literal: true

module Understudy
  # A hash that the host lends under a number. It is read by key, so that the compile depends only
  # on the keys read. Each value is requested once.
  class Lent
    MISSING = Object.new.freeze
    private_constant :MISSING

    # `renew` returns a new number after the host evicted the old one.
    def initialize(number, frozen: false, &renew)
      @number = number
      @frozen = frozen
      @renew = renew
      @known = {}
      @has_all = false
    end

    def frozen_content?
      @frozen
    end

    # Yields for a missing key.
    def find(name)
      value = @known.fetch(name) { @known[name] = read(name) }
      MISSING.equal?(value) ? yield : value
    end

    def key?(name)
      return !MISSING.equal?(@known[name]) if @known.key?(name)

      found = @has_all ? false : ask('has_entry', 'name' => name)['has']
      @known[name] = MISSING unless found
      found
    end

    def keys
      @keys ||= ask('entry_names')['names'].each(&:freeze)
    end

    # Returns all entries in order.
    def all
      found = @has_all ? keys.to_h { |name| [name, @known[name]] } : read_all
      @known = found.dup
      @has_all = true
      found
    end

    private

    def read(name)
      return MISSING if @has_all

      answer = ask('entry', 'name' => name)
      answer['set'] ? decode(answer['value']) : MISSING
    end

    def read_all
      pairs = ask('entries')['pairs']
      @keys = pairs.map { |name, _| name.freeze }
      pairs.to_h { |name, value| [name, @known.fetch(name) { decode(value) }] }
    end

    def decode(value)
      decoded = Wire.decode(value)
      @frozen && decoded.is_a?(String) ? decoded.freeze : decoded
    end

    def ask(call, fields = {})
      Understudy.ask(call, fields.merge('of' => @number)) || begin
        @number = @renew.call
        Understudy.ask(call, fields.merge('of' => @number))
      end
    end
  end
end
