# frozen_string_literal: true

# The runtime of parsers that racc generated: an LALR(1) automaton that reads the tables of the
# generated class (`Racc_arg`).
module Racc
  ParseError = Class.new(StandardError)

  class Parser
    Racc_Runtime_Version = '1.6.2'
    Racc_Runtime_Core_Version = '1.6.2'
    Racc_Runtime_Type = 'ruby'

    ERROR_TOKEN = 1
    # Tokens to shift before another error is reported.
    RECOVERY = 3
    private_constant :ERROR_TOKEN, :RECOVERY

    def self.racc_runtime_type
      Racc_Runtime_Type
    end

    # Parses what `next_token` returns: [symbol, value], and [false, anything] at the end.
    def do_parse
      racc_start
      catch(:racc_end_parse) do
        loop do
          racc_take(*next_token) while racc_needs_token?
          racc_act
        end
      end
    end

    # Parses what the method of the receiver yields.
    def yyparse(receiver, method)
      racc_start
      catch(:racc_end_parse) do
        racc_act until racc_needs_token?
        receiver.__send__(method) do |token, value|
          racc_take(token, value)
          racc_act until racc_needs_token?
        end
      end
    end

    def next_token
      raise NotImplementedError, "#{self.class}#next_token is not defined"
    end

    def on_error(token, value, _values)
      raise ParseError, format("\nparse error on value %s (%s)", value.inspect, token_to_str(token) || '?')
    end

    def yyerror
      throw :racc_jump, 1
    end

    def yyaccept
      throw :racc_jump, 2
    end

    # Leaves the recovery from an error.
    def yyerrok
      @racc_error_status = 0
    end

    def token_to_str(token)
      self.class::Racc_token_to_s_table[token]
    end

    private

    def racc_start
      @racc_action, @racc_action_check, @racc_action_default, @racc_action_pointer,
        @racc_goto, @racc_goto_check, @racc_goto_default, @racc_goto_pointer,
        @racc_first_nonterminal, @racc_reduce, @racc_tokens, @racc_shifts, @racc_reductions, uses_result = self.class::Racc_arg
      @racc_uses_result = uses_result.nil? || uses_result
      @racc_state = [0]
      @racc_vstack = []
      @racc_t = nil
      @racc_val = nil
      @racc_read_next = true
      @racc_user_yyerror = false
      @racc_error_status = 0
    end

    # Whether the current state depends on a token that was not read yet.
    def racc_needs_token?
      @racc_read_next && @racc_t != 0 && !@racc_action_pointer[@racc_state.last].nil?
    end

    def racc_take(token, value)
      @racc_t = token ? @racc_tokens.fetch(token, ERROR_TOKEN) : 0
      @racc_val = value
      @racc_read_next = false
    end

    # Does one action of the current state and those that follow from it without a token.
    def racc_act
      action = racc_action(@racc_t)
      action = racc_do(action) while action
    end

    def racc_action(token)
      state = @racc_state.last
      pointer = @racc_action_pointer[state]
      (pointer && racc_entry(@racc_action, @racc_action_check, pointer + token, state)) || @racc_action_default[state]
    end

    def racc_entry(table, checks, index, owner)
      index >= 0 && checks[index] == owner ? table[index] : nil
    end

    # Returns the action that follows at once, or nil.
    def racc_do(action)
      if action == @racc_shifts then throw :racc_end_parse, @racc_vstack.first
      elsif action == -@racc_reductions then racc_recover
      elsif action.positive? then racc_shift(action)
      else racc_reduce_by(action)
      end
    end

    def racc_shift(state)
      @racc_error_status -= 1 if @racc_error_status.positive? && @racc_t > ERROR_TOKEN
      @racc_vstack.push(@racc_val)
      @racc_state.push(state)
      @racc_read_next = true
      nil
    end

    def racc_reduce_by(action)
      jump = catch(:racc_jump) do
        @racc_state.push(racc_reduce(action))
        nil
      end
      return @racc_shifts if jump == 2
      return nil unless jump == 1

      @racc_user_yyerror = true
      -@racc_reductions
    end

    # Calls the code of a rule and returns the state after it.
    def racc_reduce(action)
      length, nonterminal, method = @racc_reduce[action * -3, 3]
      values = @racc_vstack.pop(length)
      @racc_state.pop(length)
      @racc_vstack.push(racc_value(method, values))
      owner = nonterminal - @racc_first_nonterminal
      pointer = @racc_goto_pointer[owner]
      (pointer && racc_entry(@racc_goto, @racc_goto_check, pointer + @racc_state.last, owner)) || @racc_goto_default[owner]
    end

    def racc_value(method, values)
      @racc_uses_result ? __send__(method, values, @racc_vstack, values.first) : __send__(method, values, @racc_vstack)
    end

    # Reports the error and drops states until one accepts the token `error`.
    def racc_recover
      if @racc_error_status.zero?
        on_error(@racc_t, @racc_val, @racc_vstack) unless @racc_user_yyerror
      elsif @racc_error_status == RECOVERY
        throw :racc_end_parse, nil if @racc_t.zero?
        @racc_read_next = true
      end
      @racc_user_yyerror = false
      @racc_error_status = RECOVERY
      racc_error_action
    end

    def racc_error_action
      loop do
        state = @racc_state.last
        pointer = @racc_action_pointer[state]
        found = pointer && racc_entry(@racc_action, @racc_action_check, pointer + ERROR_TOKEN, state)
        return found if found

        throw :racc_end_parse, nil if @racc_state.length <= 1
        @racc_state.pop
        @racc_vstack.pop
      end
    end
  end
end
