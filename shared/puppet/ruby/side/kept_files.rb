# frozen_string_literal: true

# Files of the server below the folders where it keeps data: passwords and keys that code of modules
# creates once and reads at later compiles. They are no files here: the host keeps their texts.
require_relative 'after_loading'

module Understudy
  module Kept
    ROOTS = ['/opt/', '/var/lib/puppet/', '/var/cache/puppet/', '/var/simp/'].freeze
    OWNER = 'puppet'
    # The number of Puppet's user in its packages.
    OWNER_ID = 52
    FILE_MODE = 0o100640
    FOLDER_MODE = 0o040750

    @folders = {}
    @walking = false

    class << self
      # Another compile begins.
      def forget
        @folders = {}
      end

      # Whether the path is one of these files, or could be.
      def include?(path)
        return false unless path.start_with?(*ROOTS)

        folder?(path) || text(path) != false
      end

      # Returns the text; nil when there is none, false for another kind of path.
      def text(path)
        return false if Understudy.channel.nil? || !path.start_with?(*ROOTS)

        RepeatedQuestions.ask('kept', 'path', path)
      end

      def write(path, text)
        if text && !text.dup.force_encoding(Encoding::UTF_8).valid_encoding?
          Understudy.unavailable!("File.write(#{path}) of bytes that are no text", 'files for it')
        end
        enter(path)
        RepeatedQuestions.forget_answers_to('kept')
        Understudy.ask('keep', 'path' => path, 'text' => text && text.dup.force_encoding(Encoding::UTF_8))
      end

      # 'file', 'directory', nil for nothing, false for another kind of path.
      def kind(path)
        return false if Understudy.channel.nil?
        return 'directory' if folder?(path)

        found = text(path)
        return found if found == false || found.nil?

        enter(path)
        'file'
      end

      def make_folder(path)
        raise Errno::EEXIST, path if kind(path)

        @folders[path] = []
        enter(path)
      end

      # The names in a folder that this compile used. Code may walk it, to set owners and modes;
      # other code gets a list that it cannot look at.
      def list(path)
        return Unlisted.new(path) unless @walking

        @folders.fetch(path, []).select { |name| kind("#{path}/#{name}") }
      end

      # Whether this compile named something in the folder.
      def named?(folder)
        @folders.key?(folder)
      end

      # Relative paths are below that folder while the block runs.
      def within(path)
        outer = Files.folder
        Files.folder = path
        yield(path)
      ensure
        Files.folder = outer
      end

      def walk
        outer = @walking
        @walking = true
        yield
      ensure
        @walking = outer
      end

      private

      def folder?(path)
        @folders.key?(path) || ROOTS.include?("#{path}/") || (path.start_with?(*ROOTS) && "#{Puppet[:vardir]}/".start_with?("#{path}/"))
      end

      # Notes a path in its folder.
      def enter(path)
        folder = File.dirname(path)
        names = (@folders[folder] ||= [])
        names << File.basename(path) unless names.include?(File.basename(path))
      end
    end

    # The names in a folder, which nobody knows. Code that only tries whether it may read the folder
    # does not look at them.
    class Unlisted < BasicObject
      def initialize(path)
        @path = path
      end

      def to_a
        ::Understudy.unavailable!("Dir.children(#{@path})", 'list of what is kept on the server: each value has its name')
      end

      def method_missing(*)
        to_a
      end

      def respond_to_missing?(*)
        true
      end
    end

    # The metadata of such a file or folder.
    class Stat < Files::Stat
      def mode
        file? ? FILE_MODE : FOLDER_MODE
      end

      # Code of modules runs as the owner.
      def uid
        Process.uid
      end

      def gid
        Process.gid
      end

      def writable?
        true
      end

      def owned?
        true
      end
    end

    # An open file: what is written is kept at once.
    class OpenFile < StringIO
      attr_reader :path
      alias to_path path

      def self.opened(path, mode)
        creates = mode.is_a?(Integer) && mode & File::CREAT != 0
        mode = mode.is_a?(Integer) ? of_flags(mode) : mode.to_s.delete('b').sub(/:.*/, '')
        found = Kept.text(path)
        raise SystemCallError.new(path, Errno::ENOENT::Errno, 'rb_sysopen') if found.nil? && mode.start_with?('r') && !creates
        raise SystemCallError.new(path, Errno::EEXIST::Errno, 'rb_sysopen') if found && mode.include?('x')

        new(path, found, mode.delete('x'))
      end

      def self.of_flags(flags)
        reads = flags & File::RDWR != 0 ? '+' : ''
        return "a#{reads}" if flags & File::APPEND != 0
        return "w#{reads}" if flags & File::TRUNC != 0
        return 'r+' unless reads.empty?

        flags & File::WRONLY == 0 ? 'r' : 'w'
      end

      def initialize(path, text, mode)
        @path = path
        super(+(mode.start_with?('w') ? '' : text.to_s), mode)
        Kept.write(path, string) if text.nil? || mode.start_with?('w')
      end

      def write(*texts)
        super.tap { Kept.write(@path, string) }
      end

      def truncate(length)
        super.tap { Kept.write(@path, string) }
      end

      def stat
        Stat.new(@path, 'file')
      end
      alias lstat stat

      # Owners and modes are fixed.
      %i[chmod chown flock fdatasync].each { |method| define_method(method) { |*| 0 } }
    end

    # Prepended to the methods of File and IO.
    module Writing
      def write(name, text, *, mode: 'w', **)
        path = Files.path_of(name)
        Kept.include?(path) ? OpenFile.opened(path, mode).write(text) : super
      end
      alias binwrite write

      def open(name, mode = 'r', *rest, **options, &block)
        return super unless Kept.name?(name)

        io = OpenFile.opened(Files.path_of(name), options[:mode] || mode)
        block ? block.call(io) : io
      end

      def new(name, mode = 'r', *rest, **options)
        Kept.name?(name) ? OpenFile.opened(Files.path_of(name), options[:mode] || mode) : super
      end
    end

    # Prepended to the methods of File: owners and modes stay as they are.
    module Changing
      %i[chmod lchmod].each do |method|
        define_method(method) { |mode, *names| names.all? { |name| Kept.name?(name) } ? names.length : super(mode, *names) }
      end
      %i[chown lchown utime].each do |method|
        define_method(method) { |one, other, *names| names.all? { |name| Kept.name?(name) } ? names.length : super(one, other, *names) }
      end

      def rename(from, to)
        return super unless Kept.name?(from) && Kept.name?(to)

        Kept.write(Files.path_of(to), Files.read(from))
        Kept.write(Files.path_of(from), nil)
        0
      end

      def delete(*names)
        return super unless names.all? { |name| Kept.name?(name) }

        names.each do |name|
          Files.read(name)
          Kept.write(Files.path_of(name), nil)
        end.length
      end
      alias unlink delete
    end

    module Folders
      def mkdir(name, *)
        Kept.name?(name) ? Kept.make_folder(Files.path_of(name)) && 0 : super
      end

      def chdir(name = nil, &block)
        name && block && Kept.name?(name) ? Kept.within(Files.path_of(name), &block) : super
      end
    end

    module Walking
      def find(*, **, &block)
        block ? Kept.walk { super } : super
      end
    end

    # The user and the group that own what is kept.
    module Owner
      User = Struct.new(:name, :uid, :gid, :dir, :shell)
      Group = Struct.new(:name, :gid, :mem)

      %i[getpwnam getpwuid getgrnam getgrgid].each do |method|
        define_method(method) do |*args|
          own = method.start_with?('getpw') ? Process.uid : Process.gid
          next super(*args) unless [OWNER, OWNER_ID, own].include?(args.first)

          method.start_with?('getpw') ? User.new(OWNER, OWNER_ID, OWNER_ID, Puppet[:vardir], '/bin/false') : Group.new(OWNER, OWNER_ID, [])
        end
      end
    end

    class << self
      # Whether it names such a file: a path, or a file.
      def name?(name)
        (name.is_a?(String) || name.respond_to?(:to_path)) && include?(Files.path_of(name))
      end
    end

    [IO, File].each { |owner| owner.singleton_class.prepend(Writing) }
    File.singleton_class.prepend(Changing)
    Dir.singleton_class.prepend(Folders)
    AfterLoading.of('find') { ::Find.singleton_class.prepend(Walking) }
    %w[etc etc.so].each { |feature| AfterLoading.of(feature) { ::Etc.singleton_class.prepend(Owner) } }
  end
end
