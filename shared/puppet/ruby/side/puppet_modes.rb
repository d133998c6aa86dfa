# frozen_string_literal: true

# Modes of files as text. Puppet: lib/puppet/util/symbolic_file_mode.rb
module Puppet
  module Util
    module SymbolicFileMode
      OCTAL = /\A0?[0-7]{1,4}\z/
      CLAUSE = /[ugoa]*[-=+][-=+rstwxXugo]*/
      BITS = { 'r' => 4, 'w' => 2, 'x' => 1 }.freeze
      SPECIAL = { 's' => { 'u' => 4, 'g' => 2, 'o' => 1 }, 't' => { 'u' => 1, 'g' => 1, 'o' => 1 } }.freeze
      SHIFTS = { 's' => 9, 'u' => 6, 'g' => 3, 'o' => 0 }.freeze
      private_constant :OCTAL, :CLAUSE, :BITS, :SPECIAL, :SHIFTS

      def valid_symbolic_mode?(value)
        normal = normalize_symbolic_mode(value).to_s
        normal.match?(OCTAL) || normal.match?(/\A#{CLAUSE}(?:,#{CLAUSE})*\z/)
      end

      def display_mode(value)
        value.match?(OCTAL) ? value.rjust(4, '0') : value
      end

      def normalize_symbolic_mode(value)
        case value
        when Numeric then value.to_s(8)
        when OCTAL then value.to_i(8).to_s(8)
        else value
        end
      end

      def symbolic_mode_to_int(modification, to_mode = 0, is_a_directory = false)
        raise Puppet::Error, 'An empty mode string is illegal' if modification.nil? || modification == ''
        return modification.to_i(8) if modification.match?(/\A[0-7]+\z/)
        raise Puppet::Error, 'Numeric modes must be in octal, not decimal!' if modification.match?(/\A\d+\z/)

        mode = SHIFTS.transform_values { |shift| to_mode >> shift & 7 }
        executes = is_a_directory || to_mode & 0o111 != 0
        modification.split(/\s*,\s*/).each do |part|
          apply_symbolic_part(part, mode, executes)
        rescue Puppet::Error => e
          rest = part == modification ? '' : " at #{part.inspect}"
          raise Puppet::Error, "#{e.message}#{rest} in symbolic mode #{modification.inspect}"
        end
        SHIFTS.sum { |who, shift| mode[who] << shift }
      end

      private

      def apply_symbolic_part(part, mode, executes)
        _, whom, operations = /\A([ugoa]*)([-+=].*)\z/.match(part).to_a
        raise Puppet::Error, 'Missing action' if operations.nil?

        before = mode.dup
        (whom.empty? ? 'a' : whom).gsub('a', 'ugo').chars.uniq.each do |who|
          mode[who] = symbolic_bits(operations, who, before, mode, executes)
        end
      end

      def symbolic_bits(operations, who, before, mode, executes)
        bits = before[who]
        action = nil
        operations.each_char do |operation|
          if operation.match?(/[-+=]/)
            action = operation
            bits = 0 if operation == '='
          elsif SPECIAL.key?(operation) then mode['s'] = symbolic_change(action, mode['s'], SPECIAL[operation][who])
          else bits = symbolic_change(action, bits, symbolic_operand(operation, action, before, executes))
          end
        end
        bits
      end

      def symbolic_change(action, bits, operand)
        action == '-' ? bits & ~operand : bits | operand
      end

      def symbolic_operand(operation, action, before, executes)
        return BITS[operation] if BITS.key?(operation)
        return before[operation] if %w[u g o].include?(operation)
        raise Puppet::Error, 'Unknown operation' unless operation == 'X'
        raise Puppet::Error, "X only works with the '+' operator" unless action == '+'

        executes ? BITS['x'] : 0
      end
    end
  end
end
