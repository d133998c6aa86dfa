# frozen_string_literal: true

# File access of module code: files of the environment, read through the host, and Ruby's own
# library.
module Understudy
  module Files
    OWN = [__dir__, *$LOAD_PATH, *(defined?(Gem) ? [*Gem.path, Gem.user_dir] : [])].compact.uniq.map { |dir| "#{dir}/" }.freeze

    # The folders of a glob pattern before its first wildcard.
    FIXED = %r!\A/(?:[^*?\[{/]*/)*!

    class << self
      # Whether Ruby may read the path itself: a path of its library.
      def own?(path)
        Understudy.channel.nil? || OWN.any? { |dir| path.start_with?(dir) }
      end

      # The folder of relative paths; nil where there is none.
      attr_accessor :folder

      def path_of(name)
        path = name.respond_to?(:to_path) ? name.to_path : String(name)
        folder && !path.start_with?('/') ? "#{folder}/#{path}" : path
      end

      def kind(path)
        path = path_of(path)
        return nil unless path.start_with?('/')

        kept = Kept.kind(path)
        kept == false ? RepeatedQuestions.ask('kind', 'path', path) : kept
      end

      # Returns the text of a file; raises Errno::ENOENT when it does not exist.
      def read(path)
        path = path_of(path)
        text = Kept.text(path)
        text = path.start_with?('/') ? Understudy.ask('read', 'path' => path) : nil if text == false
        raise SystemCallError.new(path, Errno::ENOENT::Errno, 'rb_sysopen') if text.nil?

        text_in(text)
      end

      # The text of a file in an answer of the host.
      def text_in(answer)
        answer.is_a?(Hash) ? Wire.decode(answer).binary_buffer.dup.force_encoding(Encoding::UTF_8) : answer
      end

      # Returns the text of a file as Ruby reads it with the mode and the options of `open`: in
      # binary mode as bytes.
      def encoded(text, mode, options)
        flags, external, internal = mode.is_a?(String) ? mode.split(':') : nil
        external, internal = [*(options[:external_encoding] || options[:encoding] || external).to_s.split(':'), internal]
        external ||= Encoding::BINARY.name if flags.to_s.include?('b') || options[:binmode]
        return text if external.nil?

        text = text.delete_prefix("\uFEFF") if external.match?(/\ABOM\|/i)
        text = text.dup.force_encoding(external.sub(/\ABOM\|/i, ''))
        text.encoding == Encoding::BINARY ? text : text.encode(internal || Encoding.default_internal || text.encoding)
      end

      # `function`: the system call in Ruby's error for a missing file.
      def stat(path, function)
        path = path_of(path)
        found = kind(path) or raise SystemCallError.new(path, Errno::ENOENT::Errno, function)
        (Kept.include?(path) ? Kept::Stat : Stat).new(path, found)
      end

      def list(path)
        return Kept.list(path_of(path)) if Kept.kind(path_of(path)) == 'directory'

        RepeatedQuestions.ask('list', 'path', path_of(path)) or
          raise SystemCallError.new(path_of(path), Errno::ENOENT::Errno, 'dir_initialize')
      end

      # Returns what `Dir.entries` does.
      def list_with_dots(name)
        names = list(name)
        Kept::Unlisted === names ? names : ['.', '..', *names] # rubocop:disable Style/CaseEquality
      end

      # Returns the paths that match a glob pattern, which begin and end as the pattern does.
      def glob(pattern)
        folder = pattern[FIXED] or return []
        Kept::Unlisted.new(folder.chomp('/')).to_a if Kept.named?(folder.chomp('/'))
        plain = File.expand_path(folder).delete_suffix('/')
        slash = pattern.end_with?('/') ? '/' : ''
        RepeatedQuestions.ask('glob', 'pattern', pattern).map { |path| "#{folder}#{path.delete_prefix("#{plain}/")}#{slash}" }
      end
    end

    # The metadata of a file or folder of an environment.
    Stat = Struct.new(:path, :ftype) do
      def file?
        ftype == 'file'
      end

      def directory?
        ftype == 'directory'
      end

      def symlink?
        false
      end

      def readable?
        true
      end

      def writable?
        false
      end

      def size
        file? ? Files.read(path).bytesize : 0
      end

      def zero?
        size.zero?
      end

      %i[mtime ctime atime birthtime mode uid gid ino].each do |name|
        define_method(name) { Understudy.unavailable!("File::Stat##{name}", "#{name} of files: an environment is their content") }
      end
    end

    # Prepended to the methods of File (and IO).
    module Reading
      def read(name, *args, **options)
        return super if Files.own?(Files.path_of(name))

        text = Files.read(name)
        length, offset = args
        return text.b.byteslice(offset || 0, length) unless length.nil?

        Files.encoded(offset ? text.byteslice(offset..) : text, options[:mode], options)
      end

      def binread(name, *args)
        Files.own?(Files.path_of(name)) ? super : read(name, *args).b
      end

      def readlines(name, *args, **options)
        return super if Files.own?(Files.path_of(name))

        Files.encoded(Files.read(name), options[:mode], options).lines(*args, **options.slice(:chomp))
      end

      def foreach(name, *args, **options, &block)
        return super if Files.own?(Files.path_of(name))

        lines = readlines(name, *args, **options)
        block ? lines.each(&block) && nil : lines.each
      end

      def write(name, *)
        raise Errno::EROFS, Files.path_of(name)
      end
    end

    # Prepended to the methods of File and FileTest, which Pathname calls.
    module Testing
      def exist?(name)
        Files.own?(Files.path_of(name)) ? super : !Files.kind(name).nil?
      end

      def exists?(name)
        exist?(name)
      end

      %i[readable? readable_real?].each do |method|
        define_method(method) { |name| Files.own?(Files.path_of(name)) ? super(name) : !Files.kind(name).nil? }
      end

      %i[file? executable?].each do |method|
        define_method(method) { |name| Files.own?(Files.path_of(name)) ? super(name) : Files.kind(name) == 'file' }
      end

      def directory?(name)
        Files.own?(Files.path_of(name)) ? super : Files.kind(name) == 'directory'
      end

      %i[writable? writable_real?].each do |method|
        define_method(method) { |name| Files.own?(Files.path_of(name)) ? super(name) : Kept.name?(name) && !Files.kind(name).nil? }
      end

      def symlink?(name)
        Files.own?(Files.path_of(name)) ? super : false
      end

      def size(name)
        Files.own?(Files.path_of(name)) ? super : Files.read(name).bytesize
      end

      def size?(name)
        return super if Files.own?(Files.path_of(name))

        length = Files.kind(name) == 'file' ? Files.read(name).bytesize : 0
        length.zero? ? nil : length
      end

      def zero?(name)
        Files.own?(Files.path_of(name)) ? super : Files.kind(name) == 'file' && Files.read(name).empty?
      end
      alias empty? zero?
    end

    # Prepended to the methods of File only.
    module Access
      def ftype(name)
        Files.own?(Files.path_of(name)) ? super : Files.stat(name, 'rb_file_s_ftype').ftype
      end

      def stat(name)
        Files.own?(Files.path_of(name)) ? super : Files.stat(name, 'rb_file_s_stat')
      end

      def lstat(name)
        Files.own?(Files.path_of(name)) ? super : Files.stat(name, 'rb_file_s_lstat')
      end

      # An environment contains no links.
      def realpath(name, dir = nil)
        path = File.expand_path(Files.path_of(name), dir)
        Files.own?(path) || Files.kind(path).nil? ? super : path
      end

      %i[mtime ctime atime birthtime].each do |method|
        define_method(method) do |name|
          Files.own?(Files.path_of(name)) ? super(name) : Files.stat(name, "rb_file_s_#{method}").public_send(method)
        end
      end

      def new(name, mode = 'r', *rest, **options)
        name.is_a?(Integer) || Files.own?(Files.path_of(name)) ? super : open(name, mode, **options)
      end

      def open(name, mode = 'r', *rest, **options, &block)
        return super if name.is_a?(Integer) || Files.own?(Files.path_of(name))
        mode = options[:mode] || mode
        raise Errno::EROFS, Files.path_of(name) unless mode.to_s.start_with?('r') && !mode.to_s.include?('+')

        io = StringIO.new(Files.encoded(Files.read(name), mode, options))
        block ? block.call(io) : io
      end

      def delete(name, *)
        raise Errno::EROFS, Files.path_of(name)
      end
      alias unlink delete
    end

    # Prepended to the methods of Dir.
    module Listing
      def glob(patterns, *args, base: nil, **options, &block)
        list = Array(patterns).map { |pattern| Files.path_of(base ? "#{base}/#{File.path(pattern)}" : File.path(pattern)) }
        return super if list.all? { |pattern| Files.own?(pattern) }

        found = list.flat_map { |pattern| Files.glob(pattern) }
        found = found.map { |path| path.delete_prefix("#{base}/") } if base
        block ? found.each(&block) && nil : found
      end

      def [](*patterns)
        glob(patterns)
      end

      def children(name, **)
        Files.own?(Files.path_of(name)) ? super : Files.list(name)
      end

      def each_child(name, **, &block)
        children(name).each(&block)
      end

      def entries(name, **)
        Files.own?(Files.path_of(name)) ? super : Files.list_with_dots(name)
      end

      def exist?(name)
        File.directory?(name)
      end

      def empty?(name)
        Files.own?(Files.path_of(name)) ? super : File.directory?(name) && Files.list(name).empty?
      end

      def foreach(name, **, &block)
        Files.own?(Files.path_of(name)) ? super : entries(name).each(&block)
      end
    end

    # `open` without a receiver.
    module Opening
      private

      def open(name, *rest, **options, &block)
        named = name.is_a?(String) || name.respond_to?(:to_path)
        named && !Files.path_of(name).start_with?('|') ? File.open(name, *rest, **options, &block) : super
      end
    end

    IO.singleton_class.prepend(Reading)
    [File, FileTest].each { |tests| tests.singleton_class.prepend(Testing) }
    File.singleton_class.prepend(Access)
    Dir.singleton_class.prepend(Listing)
    Object.prepend(Opening)
  end
end
