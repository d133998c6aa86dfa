# frozen_string_literal: true

# Frames over two IO objects. Requests and calls nest like a stack: a reply always answers the
# innermost open call.
module Understudy
  # Raised when the host goes away; nothing in module code should rescue it.
  class Closed < Exception # rubocop:disable Lint/InheritException
  end

  class Channel
    # Control frames, which ask nothing: save Ruby's state, or restore one.
    STEERING = %w[hold back base].freeze

    # The reply to a request whose code threw something that is caught outside of the request.
    THROWN = { 'err' => { 'class' => 'UncaughtThrowError', 'message' => 'a throw', 'file' => nil, 'line' => nil }.freeze }.freeze

    def initialize(input, output)
      @input = input
      @output = output
    end

    # Answers requests until the host closes its end or sends a control frame.
    def serve
      while (line = @input.gets)
        request = JSON.parse(line, max_nesting: false)
        if STEERING.include?(request['op'])
          Understudy.make_room if request['op'] == 'hold'
          return request['op']
        end

        answer(request)
      end
    end

    # Sends a call to the host and waits. Nested requests are answered first. Returns the undecoded
    # `ret`.
    def ask(frame)
      write(frame)
      reply = despite_throw(-> { await }) { await }
      reply.key?('err') ? HostError.reach(reply['err']) : reply['ret']
    end

    def write(frame)
      taken = Loaded.take
      frame['taken'] = taken unless taken.empty?
      text = begin
        JSON.generate(frame, max_nesting: 0)
      rescue JSON::GeneratorError, EncodingError => e
        JSON.generate({ 'err' => { 'class' => e.class.name, 'message' => e.message.scrub, 'file' => nil, 'line' => nil } })
      end
      @output.write(text << "\n")
      @output.flush
    end

    private

    # Answers requests until the reply comes.
    def await
      while (line = @input.gets)
        reply = JSON.parse(line, max_nesting: false)
        return reply unless reply.key?('op')

        answer(reply)
      end
      raise Closed, 'the host closed the channel'
    end

    def answer(request)
      reply = nil
      despite_throw(-> { write(THROWN.dup) }) do
        jump = catch(HostError::JUMP) do
          reply = reply_to(request)
          nil
        end
        reply ||= { 'err' => Requests.describe_error(jump) }
      end
      write(reply)
    end

    # Runs the block. Code below it may throw something that is caught above it: then `settle` keeps
    # the frames paired.
    def despite_throw(settle)
      is_left = true
      result = yield
      is_left = false
      result
    rescue Exception # rubocop:disable Lint/RescueException
      is_left = false
      raise
    ensure
      settle.call if is_left
    end

    def reply_to(request)
      { 'ret' => Requests.handle(request) }
    rescue Closed
      raise
    rescue Exception => e # rubocop:disable Lint/RescueException
      { 'err' => Requests.describe_error(e) }
    end
  end

  # Discards the output of `puts` in module code, because standard output carries the frames.
  class Discard < StringIO
    def write(*texts)
      texts.sum { |text| text.to_s.bytesize }
    end
  end

  # 20 bytes each.
  ROOM_IN_OBJECTS = 80_000

  # Calls whose answer does not depend on changes to arrays and hashes.
  PLAIN_QUESTIONS = Set.new(%w[fact var vars log read code kind list lists tags setting source seen volatile now kept command stack altered type
                               variables entry has_entry entry_names entries]).freeze

  # Calls after which the scope may have other variables.
  CHANGING = %w[block function method setvar].freeze

  class << self
    attr_reader :channel

    # Prepares Ruby to run module code.
    def prepare
      input = $stdin
      output = $stdout
      input.binmode
      output.binmode
      input.set_encoding(Encoding::UTF_8)
      output.sync = true
      use_utf8
      ENV.clear
      $stdin = StringIO.new
      $stdout = Discard.new
      $stderr = Discard.new
      @channel = Channel.new(input, output)
      Altered.watch
      3.times { GC.start } # what lives through them is old, and not looked at each time
    end

    # Makes room for the objects of a compile, so that few compiles collect garbage: a state that is
    # held has little.
    def make_room
      Array.new(ROOM_IN_OBJECTS) { Object.new }
      3.times { GC.start }
    end

    # Loads the constants that Ruby would otherwise load when code names them, in every compile
    # again.
    def preload
      [Object, Gem, Puppet, Understudy].each do |owner|
        names = owner.constants(false).select { |name| owner.autoload?(name) }
        # The autoload of SortedSet only raises that it is a gem.
        names.reject { |name| name == :SortedSet || LOADED_WHEN_NAMED.key?(name) }.each do |name|
          owner.const_get(name)
        rescue LoadError
          nil # code that names it gets the error
        end
      end
      HeldLibraries.load
    end

    # Answers requests until the host closes its end or sends a control frame; returns which.
    def serve
      Volatile.forget_seed
      Loaded.unused
      DataTypes.forget_objects
      KeptAnswers.forget
      RepeatedQuestions.forget
      Kept.forget
      Puppet::Pops::Functions::Instances.forget
      @channel.serve
    end

    # Ruby warns of it when it warns of everything.
    def use_utf8
      verbose = $VERBOSE
      $VERBOSE = nil
      Encoding.default_external = Encoding::UTF_8
      Encoding.default_internal = Encoding::UTF_8
    ensure
      $VERBOSE = verbose
    end

    # Sends a call without values to the host.
    def ask(name, fields = {})
      call = { 'call' => name }.merge!(fields)
      changed = PLAIN_QUESTIONS.include?(name) ? [] : Wire.changes
      call['changed'] = changed unless changed.empty?
      Loaded.note(call)
      Variables.forget if CHANGING.include?(name)
      @channel.ask(call)
    end

    # Confirms to the host that Ruby's state is the requested one.
    def confirm
      @channel.write({ 'kept' => true })
    end

    # Sends a call whose answer is a Puppet value.
    def ask_value(name, fields = {})
      Wire.decode(ask(name, fields))
    end
  end
end
