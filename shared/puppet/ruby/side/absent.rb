# frozen_string_literal: true

# Parts of Puppet that module code names and a compile lacks. Each is a class or a module that code
# may name, mix in, and inherit from, as its files do while they are loaded. A use of it is refused
# by name.
module Understudy
  module Absent
    # The missing feature behind the parts of Puppet below these names.
    LACKING = {
      'HTTP' => 'network', 'SSL' => 'network', 'Network' => 'network', 'X509' => 'network', 'Util::Puppetdb' => 'network',
      'FileServing' => 'file server; files of modules are read by their paths', 'FileBucket' => 'file bucket',
      'Face' => 'commands of Puppet', 'Application' => 'commands of Puppet', 'ModuleTool' => 'commands of Puppet',
      'Indirector' => 'indirections', 'Transaction' => 'catalog to apply', 'Pal' => 'second compiler',
      'Pops' => 'access to the compiler', 'Parser' => 'access to the compiler'
    }.freeze
    OF_NODES = 'node to manage'

    # Libraries of Ruby 3.2 that need what the Ruby of modules lacks: the constants that each
    # defines, and what it needs.
    LIBRARIES = {
      'syslog' => [%w[Syslog], 'host to log on'], 'syslog/logger' => [%w[Syslog Syslog::Logger], 'host to log on'],
      'readline' => [%w[Readline], 'terminal'], 'reline' => [%w[Reline], 'terminal'], 'pty' => [%w[PTY], 'other processes'],
      'expect' => [%w[], 'other processes'], 'fiddle' => [%w[Fiddle], 'libraries of the machine'],
      'drb' => [%w[DRb], 'network'], 'rinda/rinda' => [%w[Rinda], 'network'], 'net/smtp' => [%w[Net Net::SMTP], 'network'],
      'net/pop' => [%w[Net Net::POP3], 'network'], 'net/imap' => [%w[Net Net::IMAP], 'network'],
      'net/telnet' => [%w[Net Net::Telnet], 'network'], 'webrick' => [%w[WEBrick], 'network'], 'resolv-replace' => [%w[], 'network'],
      'rdoc' => [%w[RDoc], 'tools for developers'], 'irb' => [%w[IRB], 'tools for developers'],
      'debug' => [%w[DEBUGGER__], 'tools for developers'], 'pry' => [%w[Pry], 'tools for developers'],
      'rake' => [%w[Rake], 'tools for developers'], 'minitest' => [%w[Minitest], 'tools for developers'],
      'test/unit' => [%w[Test Test::Unit], 'tools for developers']
    }.freeze

    # Methods of a class or module that only refuse.
    module Refused
      def method_missing(name, *, **, &_block)
        Understudy.unavailable!("#{self.name || superclass.name}.#{name}", Absent.lacking(self))
      end

      def respond_to_missing?(name, include_private = false)
        !name.start_with?('to_') && name != :exception || super
      end
    end

    # Classes of which no object can be made.
    module RefusedClass
      include Refused

      def new(*, **, &_block)
        method_missing(:new)
      end
    end

    # Finds constants that Puppet has and a compile lacks, from where code names them outwards.
    module Naming
      def const_missing(name)
        found = Absent.find(self, name)
        return found unless found.nil?

        singleton_class.include?(Refused) ? Understudy.unavailable!("#{self.name}::#{name}", Absent.lacking(self)) : super
      end
    end

    class << self
      # Returns the class or module of that name in `owner` or around it; nil when Puppet has none.
      def find(owner, name)
        full = owner.name
        return nil unless full == 'Puppet' || full&.start_with?('Puppet::')

        outer = full.split('::').drop(1)
        loop do
          path = [*outer, name].join('::')
          return create(path) if names.key?(path)
          return nil if outer.empty?

          outer.pop
        end
      end

      # Defines the constants of a library whose every use is refused.
      def library(feature)
        constants, lacking = LIBRARIES.fetch(feature)
        constants.each do |path|
          outer, _, name = path.rpartition('::')
          owner = outer.empty? ? Object : Object.const_get(outer)
          next if owner.const_defined?(name, false)

          made = owner.const_set(name, Class.new)
          made.extend(RefusedClass)
          (@of_libraries ||= {})[path] = lacking
        end
        $LOADED_FEATURES << feature
        true
      end

      def lacking(owner)
        of_library = @of_libraries && @of_libraries[owner.name]
        return of_library if of_library

        path = owner.name.to_s.delete_prefix('Puppet::')
        _, text = LACKING.find { |root, _| path == root || path.start_with?("#{root}::") }
        text || OF_NODES
      end

      private

      # The names of Puppet 8's classes and modules by path: [superclass or nil for a module,
      # methods of objects]. In the file, each has a line, without `Puppet::`. A class has its
      # superclass behind `<` (an Object when none is named); the methods that a module gives to
      # objects follow its name. Made from the constants of Puppet 8.11 and of its resource API.
      def names
        @names ||= IO.readlines(File.join(__dir__, 'absent_names.txt'), chomp: true).to_h do |line|
          path, parent = line.split(' <', 2)
          path, methods = path.split(': ', 2)
          [path, [parent && (parent.empty? ? 'Object' : parent.strip), methods.to_s.split]]
        end
      end

      def create(path)
        parent, methods = names.fetch(path)
        outer, _, name = path.rpartition('::')
        owner = outer.empty? ? Puppet : outer.split('::').inject(Puppet) { |around, part| around.const_get(part, false) }
        return owner.const_get(name, false) if owner.const_defined?(name, false)

        owner.const_set(name, parent ? create_class(parent) : create_module(methods))
      end

      def create_class(parent)
        made = Class.new(Object.const_get(parent))
        made.extend(RefusedClass) unless is_of_definitions?(made)
        made
      end

      # Errors and what definitions of resource types inherit from work as they are.
      def is_of_definitions?(made)
        [::Exception, Puppet::Parameter, Puppet::Type, Puppet::Provider].any? { |base| made <= base }
      end

      def create_module(methods)
        made = Module.new
        made.extend(Refused)
        methods.each do |method|
          made.define_method(method) { |*, **, &_block| Understudy.unavailable!("#{made.name}##{method}", Absent.lacking(made)) }
        end
        made
      end
    end

    Module.prepend(Naming)
  end
end
