#!/usr/bin/env ruby
# frozen_string_literal: true

# understudy-runner: has an orchestrator run Puppet, tasks, commands and scripts on this node, as
# pxp-agent does. It connects out to a PCP broker (version 2) with the certificate of the node's
# Puppet agent. It needs Ruby 2.7 or newer and its standard library alone. docs/runner.md describes
# it.
#
# Two kinds of processes: the runner keeps the connection, and an action (`--run-action`) is a
# process of its own that downloads files, runs the program and writes the results into the spool.
# An action therefore outlives the connection and the runner.

require 'json'
require 'openssl'
require 'rbconfig'
require 'socket'

module UnderstudyRunner
  VERSION = '1.0.0'
  WINDOWS = RbConfig::CONFIG['host_os'] =~ /mswin|mingw|cygwin/ ? true : false
  PREFIX = 'http://puppetlabs.com/'
  DAY = 86_400
  MEBIBYTE = 1024 * 1024
  NOFOLLOW = defined?(File::NOFOLLOW) ? File::NOFOLLOW : 0
  BINARY = defined?(File::BINARY) ? File::BINARY : 0

  # Something that a request or the configuration asks for and that cannot be done.
  class Refused < StandardError; end
  # The connection cannot be made, or has ended; `wait` is what the broker asked for, in seconds.
  class Disconnected < StandardError
    attr_reader :wait

    def initialize(message, wait = nil)
      super(message)
      @wait = wait
    end
  end

  # Appends lines to a file, which other programs may rename: `reopen` opens its name again.
  class Log
    LEVELS = %w[debug info warning error none].freeze

    def initialize(path, level)
      @path = path
      @level = LEVELS.index(level) or raise Refused, "invalid log level: '#{level}'"
      reopen
    end

    def reopen
      return @io = $stdout if @path == '-'
      opened = File.open(@path, File::WRONLY | File::APPEND | File::CREAT | NOFOLLOW, 0o600)
      @io&.close
      @io = opened
    end

    LEVELS.first(4).each_with_index do |name, index|
      define_method(name) { |text| write(name, text) if index >= @level }
    end

    private

    # A full disk does not end the runner.
    def write(level, text)
      time = Time.now.utc.strftime('%Y-%m-%dT%H:%M:%S.%3NZ')
      @io.syswrite("#{time} #{level.upcase} #{text.to_s.scrub.gsub(/[\x00-\x1f\x7f]+/, ' ')}\n")
    rescue SystemCallError, IOError
      nil
    end
  end

  # The configuration: a file in the form of pxp-agent.conf, then what Puppet's own settings say.
  class Settings
    HOME = if WINDOWS then File.join(ENV['ProgramData'] || 'C:/ProgramData', 'PuppetLabs/understudy-runner')
           elsif Process.euid != 0 then File.join(Dir.home, '.puppetlabs/opt/understudy-runner')
           elsif File.directory?('/opt/puppetlabs') then '/opt/puppetlabs/understudy-runner'
           else '/var/lib/understudy-runner'
           end
    FILES = %w[/etc/puppetlabs/understudy-runner.conf /etc/puppet/understudy-runner.conf].freeze
    PUPPETS = if WINDOWS then [File.join(ENV['ProgramFiles'] || 'C:/Program Files', 'Puppet Labs/Puppet/bin/puppet.bat')]
              else %w[/opt/puppetlabs/bin/puppet /usr/local/bin/puppet /usr/bin/puppet]
              end
    DEFAULTS = {
      'broker-ws-uris' => [], 'primary-uris' => [], 'controller-uris' => [], 'pcp-version' => '2',
      'ssl-key' => '', 'ssl-cert' => '', 'ssl-ca-cert' => '', 'ssl-crl' => '', 'ssl-crl-check' => 'chain',
      'logfile' => '-', 'loglevel' => 'info', 'puppet-bin' => '', 'modules-config-dir' => '',
      'spool-dir' => File.join(HOME, 'spool'), 'spool-dir-purge-ttl' => '14d',
      'task-cache-dir' => File.join(HOME, 'tasks-cache'), 'task-cache-dir-purge-ttl' => '14d',
      'task-cache-size' => 512 * MEBIBYTE, 'max-file-size' => 1024 * MEBIBYTE, 'max-message-size' => 64 * MEBIBYTE,
      'max-actions' => 16, 'max-waiting-actions' => 100, 'action-timeout' => '1d',
      'connection-timeout' => 5, 'ping-interval' => 120, 'allowed-keepalive-timeouts' => 2,
      'task-download-connect-timeout' => 120, 'task-download-timeout' => 1800
    }.freeze
    # Names that pxp-agent has, too.
    ALIASES = { 'master-uris' => 'primary-uris', 'broker-ws-uri' => 'broker-ws-uris', 'primary-uri' => 'primary-uris',
                'master-uri' => 'primary-uris' }.freeze
    # Puppet's settings behind ours.
    CERTIFICATES = { 'ssl-key' => 'hostprivkey', 'ssl-cert' => 'hostcert', 'ssl-ca-cert' => 'localcacert',
                     'ssl-crl' => 'hostcrl' }.freeze
    BROKER_PORT = 8142

    attr_reader :ignored

    def initialize(path)
      path ||= FILES.find { |name| File.exist?(name) }
      @values = DEFAULTS.dup
      @ignored = []
      read_file(path) if path
      @values['puppet-bin'] = find_puppet if self['puppet-bin'].empty?
      ask_puppet unless given?('broker-ws-uris') && given?('primary-uris') && given?('ssl-cert') && given?('ssl-ca-cert')
      check
    end

    def [](name)
      @values.fetch(name)
    end

    # Seconds of a text such as 14d, 3h, 20m or 5s.
    def duration(name)
      match = /\A(\d+)([dhms])\z/.match(self[name]) or raise Refused, "invalid duration string: #{self[name]}"
      match[1].to_i * { 'd' => DAY, 'h' => 3600, 'm' => 60, 's' => 1 }.fetch(match[2])
    end

    def to_h
      @values
    end

    private

    def given?(name)
      !self[name].empty?
    end

    # JSON; lines that begin with # or // are comments.
    def read_file(path)
      text = File.read(path, encoding: 'UTF-8')
      parsed = JSON.parse(text.lines.reject { |line| line =~ %r{\A\s*(#|//)} }.join)
      raise Refused, "cannot parse config file: #{path} is not an object" unless parsed.is_a?(Hash)
      parsed.each { |name, value| take(ALIASES.fetch(name, name), value) }
    rescue JSON::ParserError => e
      raise Refused, "cannot parse config file: #{path}: #{e.message}"
    end

    def take(name, value)
      return @ignored << name unless DEFAULTS.key?(name)
      value = [value] if DEFAULTS[name].is_a?(Array) && value.is_a?(String)
      value = value.to_s if name == 'pcp-version'
      kind = { Array => 'array of strings', String => 'string', Integer => 'integer' }
      type = DEFAULTS[name].class
      fits = value.is_a?(type) && (type != Array || value.all?(String)) && (type != Integer || value.positive?)
      raise Refused, "field '#{name}' must be of type #{kind[type]}" unless fits
      @values[name] = value
    end

    def find_puppet
      file = File.join(self['modules-config-dir'], 'pxp-module-puppet.conf')
      named = given?('modules-config-dir') && File.exist?(file) ? JSON.parse(File.read(file))['puppet_bin'].to_s : ''
      named.empty? ? (PUPPETS.find { |name| File.exist?(name) } || PUPPETS.first) : named
    end

    def ask_puppet
      names = CERTIFICATES.values + %w[server serverport server_list certificate_revocation]
      printed = IO.popen([self['puppet-bin'], 'config', 'print', '--section', 'agent', *names], err: File::NULL, &:read)
      found = printed.lines.map { |line| line.chomp.split(' = ', 2) }.select { |pair| pair.size == 2 }.to_h
      CERTIFICATES.each { |ours, theirs| @values[ours] = found[theirs].to_s if self[ours].empty? }
      @values['ssl-crl-check'] = { 'leaf' => 'leaf', 'false' => 'none' }.fetch(found['certificate_revocation'], 'chain')
      list = found['server_list'].to_s.split(',').map { |one| one.strip.split(':') }
      list = [[found.fetch('server', 'puppet'), nil]] if list.empty?
      port = found.fetch('serverport', '8140')
      @values['primary-uris'] = list.map { |host, own| "https://#{host}:#{own || port}" } unless given?('primary-uris')
      uris = list.map { |host, _| "wss://#{host}:#{BROKER_PORT}/pcp2/" }
      @values['broker-ws-uris'] = uris unless given?('broker-ws-uris')
    rescue SystemCallError => e
      raise Refused, "Puppet's settings cannot be read: #{e.message}"
    end

    def check
      raise Refused, "pcp-version #{self['pcp-version']} is not supported: only 2 is" if self['pcp-version'] != '2'
      self['broker-ws-uris'].each do |uri|
        raise Refused, "invalid broker-ws-uri: #{uri}" unless uri =~ %r{\Awss://[^/?#\s]+(/pcp2/?)?\z}
      end
      %w[ssl-key ssl-cert ssl-ca-cert].each { |name| raise Refused, "#{name} is needed" unless given?(name) }
      (CERTIFICATES.keys + %w[spool-dir task-cache-dir]).each do |name|
        raise Refused, "#{name} must be an absolute path" if given?(name) && File.expand_path(self[name]) != self[name]
      end
      raise Refused, 'ping-interval must be greater than 5' if self['ping-interval'] <= 5
      %w[spool-dir-purge-ttl task-cache-dir-purge-ttl action-timeout].each { |name| duration(name) }
    end
  end

  # Files that only this user may read, in folders that nobody else can exchange.
  module Files
    module_function

    # Makes a folder of mode 0700. Refuses a link, and a folder that others may write to.
    def make_folder(path)
      parent = File.dirname(path)
      make_folder(parent) unless File.exist?(parent)
      begin
        Dir.mkdir(path, 0o700)
      rescue Errno::EEXIST
        check_folder(path)
      end
      path
    end

    def check_folder(path)
      found = File.lstat(path)
      raise Refused, "#{path} is not a directory" unless found.directory?
      return if WINDOWS || (found.uid == Process.euid && (found.mode & 0o022).zero?)
      raise Refused, "#{path} must belong to the user of the runner, and be writable to no other"
    end

    # The file appears under its name when it is whole.
    def write(path, text)
      temporary = "#{path}.#{Process.pid}.tmp"
      create(temporary) { |file| file.write(text) }
      File.rename(temporary, path)
    end

    def create(path, mode = 0o600, &block)
      File.open(path, File::WRONLY | File::CREAT | File::TRUNC | NOFOLLOW | BINARY, mode, &block)
    end

    def read(path)
      File.open(path, File::RDONLY | NOFOLLOW | BINARY, &:read)
    end

    # Removes a folder with all in it; links are removed, not followed.
    def remove(path)
      if File.lstat(path).directory?
        Dir.children(path).each { |name| remove(File.join(path, name)) }
        Dir.rmdir(path)
      else
        File.unlink(path)
      end
    rescue Errno::ENOENT
      nil
    end
  end

  # The results of non-blocking requests, in the layout of pxp-agent: for each transaction a folder
  # with metadata, pid, stdout, stderr and exitcode. `sent` is there when the requester has them.
  class Spool
    ID = /\A[A-Za-z0-9][A-Za-z0-9._-]{0,127}\z/.freeze
    REQUIRED = %w[requester module action transaction_id request_id start status].freeze

    attr_reader :root

    def initialize(root)
      @root = Files.make_folder(root)
    end

    def path(id)
      raise Refused, "invalid transaction id: #{id[0, 80].inspect}" unless ID.match?(id)
      File.join(@root, id)
    end

    def ids
      Dir.children(@root).select { |name| ID.match?(name) }
    end

    def known?(id)
      File.exist?(File.join(path(id), 'metadata'))
    end

    def metadata(id)
      parsed = JSON.parse(Files.read(File.join(path(id), 'metadata')))
      valid = parsed.is_a?(Hash) && REQUIRED.all? { |name| parsed[name].is_a?(String) }
      valid ? parsed : raise(Refused, "invalid action metadata of the transaction #{id}")
    rescue JSON::ParserError
      raise Refused, "invalid JSON in metadata file of the transaction #{id}"
    rescue SystemCallError
      raise Refused, "failed to read metadata file of the transaction #{id}"
    end

    # Whether the process of an action lives: it holds the lock on its file.
    def self.alive?(folder)
      File.open(File.join(folder, 'pid'), File::RDWR) { |file| !file.flock(File::LOCK_EX | File::LOCK_NB) }
    rescue SystemCallError
      false
    end

    # The metadata of an action that has ended, or that lives.
    def settle(id)
      found = metadata(id)
      return found if found['status'] != 'running' || Spool.alive?(path(id))
      found = metadata(id)
      return found if found['status'] != 'running'
      exitcode = read_exitcode(path(id))
      found = exitcode ? Spool.finish(found, path(id)) : found.merge('status' => 'undetermined', 'execution_error' =>
        'task process is not running, but no output is available')
      Files.write(File.join(path(id), 'metadata'), JSON.generate(found))
      found
    end

    # The metadata with the end of an action, whose output is in the folder.
    def self.finish(metadata, folder)
      now = Time.now.utc.strftime('%Y-%m-%dT%H:%M:%S.%6NZ')
      text = output(folder, 'stdout')
      return metadata.merge('end' => now, 'status' => 'success', 'results_are_valid' => true) if readable?(text)
      error = "The task executed for the #{label(metadata)} returned invalid UTF-8 on stdout"
      metadata.merge('end' => now, 'status' => 'failure', 'results_are_valid' => false, 'execution_error' => error)
    end

    def self.readable?(text)
      text.valid_encoding? && !text.include?("\0")
    end

    def self.label(metadata)
      kind = metadata['blocking'] ? 'blocking' : 'non-blocking'
      "#{kind} '#{metadata['module']} #{metadata['action']}' request (transaction #{metadata['transaction_id']})"
    end

    def self.output(folder, name)
      Files.read(File.join(folder, name)).force_encoding(Encoding::UTF_8)
    rescue Errno::ENOENT
      +''
    end

    def read_exitcode(folder)
      Integer(Files.read(File.join(folder, 'exitcode')).strip, 10)
    rescue SystemCallError, ArgumentError
      nil
    end

    # The bytes of both outputs, also of what was not kept.
    def output_bytes(folder, metadata)
      kept = %w[stdout stderr].sum { |name| File.size?(File.join(folder, name)) || 0 }
      [kept, metadata['output_bytes'].to_i].max
    end

    # The results of an action that ended, as its response has them.
    def results(folder, metadata)
      return JSON.parse(Spool.output(folder, 'stdout')) if metadata['module'] == 'pxp-module-puppet'
      texts = %w[stdout stderr].map { |name| [name, Spool.output(folder, name).scrub] }
      { 'exitcode' => read_exitcode(folder) || 0 }.merge(texts.reject { |_, text| text.empty? }.to_h)
    end

    # The answer to a status query.
    def status(id, metadata)
      error = metadata['execution_error']
      outcome = { 'transaction_id' => id }
      case metadata['status']
      when 'running' then return outcome.merge('status' => 'running')
      when 'undetermined' then return outcome.merge('status' => 'unknown', 'stdout' => Spool.error_text(error))
      end
      exitcode = read_exitcode(path(id)) || 0
      good = metadata['status'] == 'success' && exitcode.zero?
      outcome = outcome.merge('exitcode' => exitcode, 'status' => good ? 'success' : 'failure')
      texts = { 'stdout' => error ? Spool.error_text(error) : Spool.output(path(id), 'stdout'),
                'stderr' => Spool.output(path(id), 'stderr').scrub }
      outcome.merge(texts.reject { |_, text| text.empty? })
    end

    def self.error_text(message)
      error = { 'kind' => 'puppetlabs.pxp-agent/execution-error', 'details' => {}, 'msg' => message.to_s }
      JSON.generate('_error' => error)
    end

    def sent?(id)
      File.exist?(File.join(path(id), 'sent'))
    end

    def mark_sent(id, is_sent)
      file = File.join(path(id), 'sent')
      is_sent ? Files.write(file, '') : (File.unlink(file) if File.exist?(file))
    rescue SystemCallError
      nil
    end

    # Removes results that began more than `seconds` ago.
    def purge(seconds)
      ids.count do |id|
        found = known?(id) ? settle(id) : nil
        next if found.nil? || found['status'] == 'running'
        began = Time.utc(*found['start'].scan(/\d+/).first(6).map(&:to_i))
        Files.remove(path(id)) if Time.now - began > seconds
      rescue Refused, SystemCallError, ArgumentError
        next
      end
    end
  end

  # Files of tasks and scripts by their digest: CACHE/SHA256/FILENAME. They go after a time, and the
  # oldest ones when there are too many bytes.
  class Cache
    ATTEMPTS = 5
    HEX = /\A\h{64}\z/.freeze

    def initialize(settings)
      @settings = settings
      @root = Files.make_folder(settings['task-cache-dir'])
    end

    # Returns the path of a file whose digest is right; downloads it when it is not there.
    def fetch(file)
      name = File.basename(file['filename'])
      raise Refused, "Invalid filename: #{file['filename'].inspect}" unless Cache.name?(name)
      folder = folder_of(file)
      wait = 1
      (1..ATTEMPTS).each do |attempt|
        return download(file, folder, File.join(folder, name))
      rescue Refused, SystemCallError => e
        raise Refused, "Failed to download file with: #{e.message}" if attempt == ATTEMPTS
        sleep(wait)
        wait *= 2
      end
    end

    # Puts a file at `destination`, which need not lie in the cache.
    def download(file, folder, destination)
      return destination if File.file?(destination) && digest(destination) == file['sha256'].downcase
      raise Refused, 'Cannot download file. No master-uris were provided' if @settings['primary-uris'].empty?
      temporary = File.join(folder, "temp_file_#{Process.pid}_#{rand(2**64).to_s(16)}")
      begin
        name = File.basename(destination)
        request(file, temporary, name)
        if digest(temporary) != file['sha256'].downcase
          raise Refused, "The downloaded file #{name.inspect} has a SHA that differs from the provided SHA"
        end
        move(temporary, destination)
      ensure
        File.unlink(temporary) if File.exist?(temporary)
      end
      destination
    end

    def folder_of(file)
      raise Refused, "Invalid sha256: #{file['sha256'][0, 80].inspect}" unless HEX.match?(file['sha256'])
      folder = Files.make_folder(File.join(@root, file['sha256'].downcase))
      File.utime(nil, nil, folder)
      folder
    end

    def self.name?(name)
      !name.empty? && name != '.' && name != '..' && name !~ %r{[/\0]} && (!WINDOWS || name !~ /[\\:]/)
    end

    def purge(seconds, most_bytes)
      folders = Dir.children(@root).map { |name| File.join(@root, name) }
      folders = folders.map { |path| [File.lstat(path).mtime, path, bytes_of(path)] }.sort_by(&:first).reverse
      sum = 0
      folders.each do |time, path, bytes|
        sum += bytes
        Files.remove(path) if Time.now - time > seconds || (sum > most_bytes && Time.now - time > 60)
      end
    rescue Errno::ENOENT
      nil
    end

    private

    def bytes_of(path)
      return 0 unless File.lstat(path).directory?
      Dir.children(path).sum { |name| File.lstat(File.join(path, name)).size }
    end

    def digest(path)
      OpenSSL::Digest.new('SHA256').tap do |sum|
        File.open(path, File::RDONLY | BINARY) { |io| sum << io.readpartial(65_536) until io.eof? }
      end.hexdigest
    end

    def move(temporary, destination)
      File.rename(temporary, destination)
    rescue Errno::EXDEV
      Files.create(destination, 0o700) { |io| IO.copy_stream(temporary, io) }
    end

    # Asks one server after the other.
    def request(file, temporary, name)
      message = ''
      @settings['primary-uris'].each do |server|
        return get("#{server.chomp('/')}#{endpoint(file['uri'])}", temporary)
      rescue Refused, SystemCallError, IOError, OpenSSL::SSL::SSLError, SocketError, Timeout::Error => e
        message = e.message
      end
      raise Refused, "Downloading file #{name.inspect} failed after trying all the available master-uris. " \
                     "Most recent error message: #{message}"
    end

    def endpoint(uri)
      escape = ->(text, kept) { text.to_s.gsub(kept) { |c| c.bytes.map { |byte| format('%%%02X', byte) }.join } }
      path = escape.call(uri['path'], %r{[^A-Za-z0-9\-._~/%!$&'()*+,;=:@?]})
      params = uri['params'].map { |pair| pair.map { |text| escape.call(text, /[^A-Za-z0-9\-._~]/) }.join('=') }
      params.empty? ? path : "#{path}?#{params.join('&')}"
    end

    def get(url, temporary)
      require 'net/http'
      address = URI.parse(url)
      raise Refused, "#{url} is not an https URL" unless address.is_a?(URI::HTTPS)
      http = Net::HTTP.new(address.host, address.port, nil)
      http.use_ssl = true
      http.open_timeout = @settings['task-download-connect-timeout']
      http.read_timeout = @settings['task-download-connect-timeout']
      http.max_retries = 0
      http.min_version = OpenSSL::SSL::TLS1_2_VERSION
      http.verify_mode = OpenSSL::SSL::VERIFY_PEER
      http.cert_store = Tls.store(@settings)
      http.cert, http.key = Tls.identity(@settings)
      headers = { 'Accept' => '*/*', 'Accept-Encoding' => 'identity' }
      Timeout.timeout(@settings['task-download-timeout']) do
        http.start { http.request_get(address.request_uri, headers) { |answer| keep(answer, url, temporary) } }
      end
    end

    def keep(answer, url, temporary)
      if answer.code.to_i != 200
        text = answer.read_body.to_s[0, 1000].scrub
        raise Refused, "#{url} returned a response with HTTP status #{answer.code}. Response body: #{text}"
      end
      size = 0
      Files.create(temporary, 0o700) do |file|
        answer.read_body do |part|
          size += part.bytesize
          raise Refused, "#{url} is larger than max-file-size #{@settings['max-file-size']}" if size > @settings['max-file-size']
          file.write(part)
        end
      end
    end
  end

  # Certificates as Puppet's agent has them.
  module Tls
    module_function

    def store(settings)
      store = OpenSSL::X509::Store.new
      blocks(settings['ssl-ca-cert'], 'CERTIFICATE').each { |pem| store.add_cert(OpenSSL::X509::Certificate.new(pem)) }
      return store if settings['ssl-crl'].empty? || settings['ssl-crl-check'] == 'none'
      blocks(settings['ssl-crl'], 'X509 CRL').each { |pem| store.add_crl(OpenSSL::X509::CRL.new(pem)) }
      chain = settings['ssl-crl-check'] == 'leaf' ? 0 : OpenSSL::X509::V_FLAG_CRL_CHECK_ALL
      store.flags = OpenSSL::X509::V_FLAG_CRL_CHECK | chain
      store
    end

    def identity(settings)
      [OpenSSL::X509::Certificate.new(File.binread(settings['ssl-cert'])),
       OpenSSL::PKey.read(File.binread(settings['ssl-key']), '')]
    end

    def blocks(path, kind)
      found = File.binread(path).scan(/-----BEGIN #{kind}-----.+?-----END #{kind}-----/m)
      found.empty? ? raise(Refused, "#{path} has no #{kind}") : found
    end

    def context(settings)
      context = OpenSSL::SSL::SSLContext.new
      context.min_version = OpenSSL::SSL::TLS1_2_VERSION
      context.verify_mode = OpenSSL::SSL::VERIFY_PEER
      context.cert_store = store(settings)
      context.cert, context.key = identity(settings)
      context
    end

    # The name in the certificate's subject.
    def certname(settings)
      name = identity(settings).first.subject.to_a.find { |part| part[0] == 'CN' }
      name ? name[1] : raise(Refused, "#{settings['ssl-cert']} has no common name")
    end
  end

  # A Puppet run and its results, with the flags, errors and texts of pxp-module-puppet.
  class PuppetRun
    ALWAYS = %w[--onetime --no-daemonize --verbose].freeze
    ALWAYS_NAMES = %w[onetime daemonize verbose].freeze
    ALLOWED = %w[
      color configtimeout debug disable_warnings environment evaltrace filetimeout graph http_connect_timeout http_debug
      http_keepalive_timeout http_read_timeout log_level noop ordering pluginsync show_diff skip_tags splay
      strict_environment_mode tags trace use_cached_catalog usecacheonfailure waitforcert
    ].freeze
    PATHS = %w[lastrunreport agent_disabled_lockfile agent_catalog_run_lockfile].freeze
    LOCKED_SECONDS = 600

    def initialize(puppet, params)
      @puppet = puppet
      @params = params
    end

    def run
      @flags = check_flags
      return failure(-1, 'no_puppet_bin', "Puppet executable '#{@puppet}' does not exist") unless File.exist?(@puppet)
      printed = IO.popen(environment, [@puppet, 'config', 'print', '--section', 'agent', *PATHS], err: File::NULL, &:read)
      @paths = printed.scrub.lines.map { |line| line.chomp.split(' = ', 2) }.select { |pair| pair.size == 2 }.to_h
      report = @paths['lastrunreport'].to_s
      return failure(-1, 'no_last_run_report', 'could not find the location of the last run report') if report.empty?
      attempt(report) || wait_and_repeat(report)
    rescue Refused => e
      failure(-1, 'invalid_json', e.message)
    end

    private

    def check_flags
      flags = @params['flags'].map(&:strip)
      flags.each { |flag| check_flag(flag) }
      (flags | ALWAYS) + (@params.key?('job') ? ['--job-id', @params['job']] : [])
    end

    def check_flag(flag)
      json = 'The json received on STDIN'
      raise Refused, "#{json} contained characters not present in valid flags: #{flag}" if flag !~ /\A[a-zA-Z0-9_:,.\-]+\z/
      return unless flag.start_with?('--')
      name = flag.sub(/\A--(no-)?/, '')
      overrides = ALWAYS_NAMES.include?(name)
      raise Refused, "#{json} overrides a default setting with: #{flag}" if overrides && !ALWAYS.include?(flag)
      raise Refused, "#{json} included a non-permitted flag: #{flag}" unless overrides || ALLOWED.include?(name)
    end

    # The results of a run; nil when another run holds the lock.
    def attempt(report, is_last: false)
      before = File.exist?(report) ? File.mtime(report) : nil
      options = { in: File::NULL, out: File::NULL, err: File::NULL, chdir: WINDOWS ? Dir.pwd : '/' }
      _, status = Process.wait2(Process.spawn(environment, @puppet, 'agent', *@flags, options))
      code = status.exitstatus || status.termsig
      return read_report(report, code, before) if code.zero?
      return failure(code, 'agent_disabled', 'Puppet agent is disabled') if file?('agent_disabled_lockfile')
      return read_report(report, code, before) unless file?('agent_catalog_run_lockfile')
      is_last ? failure(code, 'agent_locked', 'Puppet agent run is already in progress') : nil
    rescue SystemCallError
      failure(-1, 'agent_failed_to_start', 'Failed to start Puppet agent')
    end

    def wait_and_repeat(report)
      limit = Time.now + LOCKED_SECONDS
      sleep(0.5) while file?('agent_catalog_run_lockfile') && Time.now < limit
      attempt(report, is_last: true)
    end

    def file?(name)
      File.exist?(@paths[name].to_s)
    end

    # Puppet::Util::Execution, with which pxp-agent starts Puppet, takes the user's variables away.
    def environment
      user = { 'HOME' => nil, 'USER' => nil, 'LOGNAME' => nil }
      unless WINDOWS || Process.euid.zero?
        require 'etc'
        entry = Etc.getpwuid(Process.euid)
        user = { 'HOME' => entry.dir, 'USER' => entry.name, 'LOGNAME' => entry.name } if entry
      end
      ascii = Encoding.default_external == Encoding::US_ASCII
      ascii ? user.merge('RUBYOPT' => "#{ENV['RUBYOPT']} -EUTF-8") : user
    end

    def read_report(path, code, before)
      return failure(code, 'no_last_run_report', "#{path} doesn't exist") unless File.exist?(path)
      return failure(code, 'no_last_run_report', 'The Puppet run failed in an unexpected way') if File.mtime(path) == before
      begin
        report = parse_report(path)
        values = report['metrics'].fetch('resources', {}).fetch('values', {})
      rescue StandardError, SyntaxError => e
        return failure(code, 'invalid_last_run_report', "#{path} could not be loaded: #{e.message}")
      end
      result = code.zero? ? unknown(code) : failure(code, 'agent_exit_non_zero', 'Puppet agent exited with a non 0 exitcode')
      result.merge(%w[time transaction_uuid environment status].map { |name| [name, report[name]] }.to_h)
            .merge('metrics' => values.map { |name, _, value| [name, value] }.to_h)
    end

    # Objects of Puppet become plain values.
    def parse_report(path)
      require 'yaml'
      root = YAML.parse(File.read(path, encoding: 'UTF-8')).root
      root.each { |node| node.tag = nil if node.respond_to?(:tag=) }
      root.to_ruby
    end

    def unknown(code)
      { 'time' => 'unknown', 'transaction_uuid' => 'unknown', 'environment' => 'unknown', 'status' => 'unknown',
        'metrics' => {}, 'exitcode' => code, 'version' => 1 }
    end

    def failure(code, type, message)
      unknown(code).merge('error_type' => type, 'error' => message)
    end
  end

  # What one request asks for, in a process of its own. It gets its order on standard input.
  class Action
    PARALLEL = 0.2

    def self.main
      Process.setsid unless WINDOWS
      new(JSON.parse($stdin.read)).run
    end

    def initialize(order)
      @settings = order['settings']
      @folder = order['folder']
      @params = order['params']
      @metadata = order['metadata']
    end

    def run
      return unless claim
      record(@metadata)
      exitcode = in_turn { perform }
      Files.write(File.join(@folder, 'exitcode'), "#{exitcode}\n")
      record(Spool.finish(@metadata, @folder))
    rescue StandardError, SyntaxError => e
      kind = e.is_a?(Refused) ? 'Error' : 'Unexpected error'
      error = "Failed to execute the task for the #{Spool.label(@metadata)}. #{kind}: #{e.message.scrub}"
      record(@metadata.merge('status' => 'failure', 'results_are_valid' => false, 'execution_error' => error))
    ensure
      Files.remove(@installed) if @installed
    end

    private

    def record(metadata)
      Files.write(File.join(@folder, 'metadata'), JSON.generate(metadata))
    end

    # Holds a lock for as long as the process lives. False when another process had the transaction.
    def claim
      name = File.join(@folder, 'pid')
      temporary = "#{name}.#{Process.pid}"
      @lock = File.open(temporary, File::RDWR | File::CREAT | File::EXCL, 0o600)
      @lock.flock(File::LOCK_EX)
      @lock.syswrite("#{Process.pid}\n")
      File.link(temporary, name)
      true
    rescue Errno::EEXIST
      false
    ensure
      File.unlink(temporary)
    end

    # Waits for one of the slots for actions at the same time.
    def in_turn
      slots = Files.make_folder(File.join(File.dirname(@folder), '.slots'))
      loop do
        @settings['max-actions'].times do |number|
          @slot = File.open(File.join(slots, number.to_s), File::RDWR | File::CREAT | NOFOLLOW, 0o600)
          return yield if @slot.flock(File::LOCK_EX | File::LOCK_NB)
          @slot.close
        end
        sleep(PARALLEL)
      end
    end

    def perform
      case @metadata['module']
      when 'task' then run_task
      when 'command' then run_command
      when 'script' then execute(interpreted(Cache.new(@settings).fetch(@params['script'])) + @params['arguments'])
      when 'file' then download_files
      else run_puppet
      end
    end

    def run_puppet
      results = PuppetRun.new(@settings['puppet-bin'], @params).run
      Files.write(File.join(@folder, 'stdout'), JSON.generate(results))
      results.key?('error') ? 1 : 0
    end

    def run_command
      return execute(%w[powershell.exe -NoProfile -NonInteractive -NoLogo -ExecutionPolicy Bypass -Command] + [@params['command']]) if WINDOWS
      require 'etc'
      user = Etc.getpwuid(Process.uid) or raise Refused, 'the user of the runner has no passwd entry'
      execute([user.shell, '-c', @params['command']])
    end

    def download_files
      cache = Cache.new(@settings)
      @params['files'].each do |file|
        path = file['destination']
        raise Refused, "Destination #{path.inspect} is not an absolute path" if File.expand_path(path) != path.chomp('/')
        case file['kind']
        when 'file'
          Files.make_folder(File.dirname(path)) unless File.exist?(File.dirname(path))
          cache.download(file, cache.folder_of(file), path)
        when 'directory'
          Files.make_folder(path) unless File.exist?(path)
          raise Refused, "Destination #{path.inspect} already exists and is not a directory!" unless File.directory?(path)
        when 'symlink'
          File.symlink(file['link_source'], path) unless File.symlink?(path) || File.exist?(path)
          raise Refused, "Destination #{path.inspect} already exists and is not a symlink!" unless File.symlink?(path)
        else raise Refused, "Not a valid file type! #{file['kind']}"
        end
      end
      Files.write(File.join(@folder, 'stdout'), 'downloaded')
      0
    end

    def run_task
      about = @params['metadata'] || @params
      chosen = choose_implementation(about)
      file = find_file(chosen['name'], "'#{chosen['name']}' file requested by implementation not found")
      cache = Cache.new(@settings)
      program = cache.fetch(file)
      method = chosen['input_method'] || about['input_method'] || (program.end_with?('.ps1') ? 'powershell' : 'both')
      raise Refused, "unsupported task input method: #{method}" unless %w[stdin environment powershell both].include?(method)
      input = @params['input'].merge('_task' => @params['task'])
      # Without metadata, `files` are those of the request.
      extra = expand((@params['metadata'] ? about['files'].to_a : []) + chosen['files'].to_a)
      unless extra.empty?
        program = install(cache, extra, program)
        input['_installdir'] = @installed
      end
      command = method == 'powershell' ? powershell(program) : interpreted(program)
      variables = input.map { |name, value| ["PT_#{name}", value.is_a?(String) ? value : JSON.generate(value)] }.to_h
      execute(command, %w[both environment].include?(method) ? variables : {}, method == 'environment' ? '' : JSON.generate(input))
    end

    def choose_implementation(about)
      features = [*(WINDOWS ? %w[puppet-agent powershell] : %w[puppet-agent shell]), *about['features']].uniq.sort
      all = about['implementations'].to_a
      return {} if all.empty?
      all.find { |one| (one['requirements'].to_a - features).empty? } or
        raise Refused, "no implementations match supported features: #{features.join(', ')}"
    end

    def find_file(name, message)
      return @params['files'].first if name.nil?
      @params['files'].find { |file| file['filename'] == name } or raise Refused, message
    end

    def expand(names)
      all = @params['files'].map { |file| file['filename'] }
      names.uniq.flat_map { |name| name.end_with?('/') ? all.select { |one| one.start_with?(name) } : [name] }.uniq
    end

    # Lays files out as modules, in a folder that goes with the run.
    def install(cache, names, program)
      @installed = Files.make_folder(File.join(@folder, "temp_task_#{rand(2**64).to_s(16)}"))
      names.each do |name|
        file = find_file(name, "'#{name}' file requested as additional task dependency not found")
        place(cache.fetch(file), name)
      end
      place(program, "#{@params['task'].split(':').first}/tasks/#{File.basename(program)}")
    end

    def place(source, name)
      raise Refused, "Invalid filename: #{name.inspect}" unless name.split('/', -1).all? { |part| Cache.name?(part) }
      target = File.join(@installed, name)
      Files.make_folder(File.dirname(target))
      Files.create(target, 0o700) { |io| IO.copy_stream(source, io) }
      target
    end

    # On Windows the name says the interpreter; elsewhere the first line of the program does.
    def interpreted(program)
      return [program] unless WINDOWS
      { '.rb' => [RbConfig.ruby, program], '.pp' => [@settings['puppet-bin'], 'apply', program],
        '.ps1' => %w[powershell -NoProfile -NonInteractive -NoLogo -ExecutionPolicy Bypass -File] + [program] }
        .fetch(File.extname(program), [program])
    end

    # Passes those parameters that the script declares.
    def powershell(program)
      quoted = "'#{program.gsub("'", "''")}'"
      code = "$k=(Get-Command #{quoted}).Parameters.Keys; $p=@{}; " \
             '(($input | Out-String) | ConvertFrom-Json).PSObject.Properties | ' \
             '% { if ($k -contains $_.Name) { $p[$_.Name]=$_.Value } }; ' \
             "& #{quoted} @p; exit $LASTEXITCODE"
      %w[powershell -NoProfile -NonInteractive -NoLogo -ExecutionPolicy Bypass -Command] + [code]
    end

    # Runs a program; its output goes to the spool. Returns the exit code, or the signal's number.
    def execute(command, variables = {}, input = '')
      stdin, stdout, stderr = Array.new(3) { IO.pipe(binmode: true) }
      options = { in: stdin[0], out: stdout[1], err: stderr[1], chdir: WINDOWS ? @folder : '/',
                  (WINDOWS ? :new_pgroup : :pgroup) => true }
      pid = Process.spawn(variables, [command[0], command[0]], *command.drop(1), options)
      [stdin[0], stdout[1], stderr[1]].each(&:close)
      outputs = { 'stdout' => stdout[0], 'stderr' => stderr[0] }.map { |name, io| Thread.new { drain(io, name) } }
      Thread.new { feed(stdin[1], input) }
      status = wait_for(pid)
      @metadata = @metadata.merge('output_bytes' => outputs.sum(&:value))
      append_lateness if @late
      status.exitstatus || status.termsig
    rescue SystemCallError => e
      Files.write(File.join(@folder, 'stderr'), "Executable '#{command[0]}' failed to run: #{e.message}")
      127
    end

    # A program need not read its input.
    def feed(io, input)
      io.write(input)
    rescue Errno::EPIPE
      nil
    ensure
      io.close
    end

    # Keeps as much as a message may have; returns the bytes of all.
    def drain(io, name)
      size = 0
      Files.create(File.join(@folder, name)) do |file|
        while (part = io.read_nonblock(65_536, exception: false))
          next io.wait_readable(1) if part == :wait_readable && !@given_up
          break if part == :wait_readable
          room = @settings['max-message-size'] - size
          file.write(part.byteslice(0, room)) if room.positive?
          size += part.bytesize
        end
      end
      size
    end

    def append_lateness
      text = "The action did not end within #{@settings['action-seconds']} seconds.\n"
      File.open(File.join(@folder, 'stderr'), 'a') { |file| file.write(text) }
    end

    def wait_for(pid)
      waiter = Process.detach(pid)
      return waiter.value if waiter.join(@settings['action-seconds'])
      @late = true
      [['TERM', 10], ['KILL', 10]].each do |signal, seconds|
        Process.kill(signal, WINDOWS ? pid : -pid)
        break if waiter.join(seconds)
      rescue Errno::ESRCH
        break
      end
      @given_up = true
      waiter.value
    end
  end

  # A WebSocket over TLS to a broker, and its frames.
  class Link
    GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
    CHUNK = 65_536

    attr_reader :uri, :since

    def initialize(uri, settings)
      @uri = uri
      @limit = settings['max-message-size']
      @deadline = Clock.now + settings['connection-timeout']
      @in = String.new(encoding: Encoding::BINARY)
      @message = nil
      @out = []
      host, port = uri[%r{\Awss://([^/]+)}, 1].match(/\A\[?(.+?)\]?(?::(\d+))?\z/).captures
      connect(host, (port || Settings::BROKER_PORT).to_i, settings)
      upgrade("#{host.include?(':') ? "[#{host}]" : host}:#{port || Settings::BROKER_PORT}")
      @since = Clock.now
    rescue SystemCallError, SocketError, IOError, OpenSSL::OpenSSLError, Refused => e
      close
      raise Disconnected, e.message
    end

    def io
      @ssl.to_io
    end

    def pending?
      !@out.empty?
    end

    # Yields the kind and the text of each message that came; raises Disconnected at the end.
    def receive(&block)
      nil while frame(&block)
      loop do
        part = @ssl.read_nonblock(CHUNK, exception: false)
        raise Disconnected, 'the broker closed the connection' if part.nil?
        return if part.is_a?(Symbol)
        @in << part
        nil while frame(&block)
      end
    rescue SystemCallError, IOError, OpenSSL::SSL::SSLError => e
      raise Disconnected, e.message
    end

    def send_frame(opcode, text)
      bytes = text.b
      size = bytes.bytesize
      length = if size < 126 then [0x80 | size].pack('C')
               elsif size < 65_536 then [0xfe, size].pack('Cn')
               else [0xff, size].pack('CQ>')
               end
      mask = OpenSSL::Random.random_bytes(4)
      key = mask.unpack1('N')
      @out << [0x80 | opcode].pack('C') + length + mask
      (0...size).step(CHUNK) do |start|
        part = bytes.byteslice(start, CHUNK)
        padded = part + "\0" * (-part.bytesize % 4)
        @out << padded.unpack('N*').map { |word| word ^ key }.pack('N*').byteslice(0, part.bytesize)
      end
      flush
    end

    def flush
      while (part = @out.first)
        count = @ssl.write_nonblock(part, exception: false)
        return if count.is_a?(Symbol)
        count == part.bytesize ? @out.shift : @out[0] = part.byteslice(count..-1)
      end
    rescue SystemCallError, IOError, OpenSSL::SSL::SSLError => e
      raise Disconnected, e.message
    end

    def close(code = nil, reason = '')
      send_frame(8, [code].pack('n') + reason) if code
    rescue Disconnected
      nil
    ensure
      (@ssl || @tcp)&.close
    end

    private

    def connect(host, port, settings)
      @tcp = Socket.tcp(host, port, connect_timeout: settings['connection-timeout'])
      @tcp.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
      @ssl = OpenSSL::SSL::SSLSocket.new(@tcp, Tls.context(settings))
      @ssl.sync_close = true
      @ssl.hostname = host unless host =~ /\A[\d.]+\z|:/
      patiently { @ssl.connect_nonblock(exception: false) }
      @ssl.post_connection_check(host)
    end

    # Repeats what has to wait for the other side, until the deadline.
    def patiently
      loop do
        answer = yield
        return answer unless answer.is_a?(Symbol)
        wait = [@deadline - Clock.now, 0].max
        readable = answer == :wait_readable
        found = IO.select(readable ? [@tcp] : nil, readable ? nil : [@tcp], nil, wait)
        raise Refused, 'the broker does not answer' if found.nil?
      end
    end

    def upgrade(host)
      key = [OpenSSL::Random.random_bytes(16)].pack('m0')
      @ssl.write("GET /pcp2/agent HTTP/1.1\r\nHost: #{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
                 "Sec-WebSocket-Key: #{key}\r\nSec-WebSocket-Version: 13\r\nUser-Agent: understudy-runner/#{VERSION}\r\n\r\n")
      until (found = @in.index("\r\n\r\n"))
        raise Refused, 'the answer to the upgrade is too long' if @in.bytesize > 16_384
        @in << (patiently { @ssl.read_nonblock(CHUNK, exception: false) } || raise(EOFError, 'the broker closed the connection'))
      end
      check_upgrade(@in.slice!(0, found + 4), key)
    end

    def check_upgrade(head, key)
      status = head[%r{\AHTTP/1\.1 (\d{3})}, 1]
      wait = head[/^retry-after: *(\d{1,4})\r/i, 1]
      raise Disconnected.new("the broker answered with status #{status}", wait && [wait.to_i, 300].min) if status != '101'
      expected = [OpenSSL::Digest.digest('SHA1', key + GUID)].pack('m0')
      raise Refused, 'the broker speaks no WebSocket' if head[/^sec-websocket-accept: *(\S+)\r/i, 1] != expected
    end

    # Takes a frame from what was read; nil when it is not whole yet.
    def frame
      return nil if @in.bytesize < 2
      first, second = @in.unpack('CC')
      raise Disconnected, 'the broker sent an invalid frame' if (first & 0x70).positive? || (second & 0x80).positive?
      size = second & 0x7f
      start = { 126 => 4, 127 => 10 }.fetch(size, 2)
      return nil if @in.bytesize < start
      size = @in.unpack1(size == 126 ? '@2n' : '@2Q>') if start > 2
      raise Disconnected, too_large(size) if size + (@message ? @message.bytesize : 0) > @limit
      return nil if @in.bytesize < start + size
      payload = @in.byteslice(start, size)
      @in = @in.byteslice(start + size..-1)
      take(first & 0x0f, payload, (first & 0x80).positive?) { |kind, text| yield kind, text }
      true
    end

    def take(opcode, payload, is_last)
      case opcode
      when 0, 1, 2
        @message = opcode.zero? ? (@message || raise(Disconnected, 'the broker sent an invalid frame')) << payload : payload
        return unless is_last
        text = @message
        @message = nil
        yield :text, text.force_encoding(Encoding::UTF_8)
      when 8
        code = payload.unpack1('n')
        send_frame(8, payload)
        raise Disconnected, "the broker closed the connection: #{code} #{payload.byteslice(2..-1).to_s.scrub}".strip
      when 9 then send_frame(10, payload)
      when 10 then yield :pong, payload
      end
    end

    def too_large(size)
      close(1009, 'Message too large.')
      "the broker sent a message of #{size} bytes"
    end
  end

  # Seconds of a clock that nobody sets.
  module Clock
    def self.now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end

  # The forms of the parameters of each action.
  module Forms
    FILE = { 'filename' => String, 'uri' => { 'path' => String, 'params' => Hash }, 'sha256' => String }.freeze
    IMPLEMENTATION = { 'name' => String, 'requirements?' => [String], 'files?' => [String], 'input_method?' => String }.freeze
    METADATA = { 'input_method?' => String, 'implementations?' => [IMPLEMENTATION], 'files?' => [String], 'features?' => [String] }.freeze
    ALL = {
      'ping ping' => { 'sender_timestamp?' => String },
      'echo echo' => { 'argument' => String },
      'status query' => { 'transaction_id' => String },
      'task run' => { 'task' => String, 'files' => [FILE], 'input' => Hash, 'metadata?' => METADATA, 'input_method?' => String,
                      'features?' => [String] },
      'command run' => { 'command' => String },
      'script run' => { 'script' => FILE, 'arguments' => [String] },
      'file download' => { 'files' => [FILE.reject { |name| name == 'filename' }.merge('destination' => String, 'link_source' => String, 'kind' => String)] },
      'pxp-module-puppet run' => { 'flags' => [String], 'job?' => String }
    }.freeze
    MODULES = ALL.keys.map { |name| name.split.first }.freeze
    BLOCKING = %w[ping echo status].freeze

    module_function

    def fits?(form, value)
      case form
      when Class then value.is_a?(form)
      when Array then value.is_a?(Array) && value.all? { |one| fits?(form[0], one) }
      else
        value.is_a?(Hash) && form.all? do |name, inner|
          key = name.chomp('?')
          value.key?(key) ? fits?(inner, value[key]) : name.end_with?('?')
        end
      end
    end
  end

  # Keeps a connection to a broker, answers requests, and sends the results of actions.
  class Runner
    LADDER = [2, 4, 8, 16, 32].freeze
    STEADY = 10

    def initialize(settings, log)
      @settings = settings
      @log = log
      @spool = Spool.new(settings['spool-dir'])
      @cache = Cache.new(settings)
      @wake, @waker = IO.pipe
      @ended = Queue.new
      @actions = {}
      @adopted = []
      @unsent = []
      @failures = 0
      @uris = settings['broker-ws-uris'].dup
      @retry_at = @purge_at = Clock.now
    end

    def run
      hold_lock
      watch_signals
      adopt
      until @stopping
        purge if Clock.now >= @purge_at
        connect if @link.nil? && Clock.now >= @retry_at
        wait
      end
      @link&.close(1001, 'stopping')
      @log.info('stopped')
    end

    def stop
      @stopping = true
      wake
    end

    private

    def wake
      @waker.write_nonblock('.', exception: false)
    end

    # Two runners with one spool would send each result twice.
    def hold_lock
      @lock = File.open(File.join(@spool.root, '.lock'), File::RDWR | File::CREAT | NOFOLLOW, 0o600)
      raise Refused, "another runner uses #{@spool.root}" unless @lock.flock(File::LOCK_EX | File::LOCK_NB)
    end

    def watch_signals
      %w[TERM INT].each { |name| trap(name) { stop } }
      (WINDOWS ? [] : %w[HUP USR1 USR2]).each { |name| trap(name) { @reopening = true && wake } }
    end

    # Goes on with the actions of a runner before this one.
    def adopt
      Dir.children(@spool.root).grep(/\A\.blocking-/).each { |name| Files.remove(File.join(@spool.root, name)) }
      @spool.ids.each do |id|
        next(Spool.alive?(@spool.path(id)) || Files.remove(@spool.path(id))) unless @spool.known?(id)
        found = @spool.settle(id)
        if found['status'] == 'running' then @adopted << id
        elsif found['notify_outcome'] && !found['status'].start_with?('und') && !@spool.sent?(id) then @unsent << id
        end
      rescue Refused, SystemCallError => e
        @log.warning("#{id}: #{e.message}")
      end
      @log.info("#{@adopted.size} actions still run, #{@unsent.size} results are to be sent")
    end

    def purge
      @purge_at = Clock.now + 3600
      @spool.purge(@settings.duration('spool-dir-purge-ttl'))
      @cache.purge(@settings.duration('task-cache-dir-purge-ttl'), @settings['task-cache-size'])
    end

    def connect
      uri = @uris.first
      @link = Link.new(uri, @settings)
      @own = "pcp://#{Tls.certname(@settings)}/agent"
      @missed = 0
      @pings = 0
      @confirming = {}
      @ping_at = Clock.now + @settings['ping-interval']
      @log.info("connected to #{uri} as #{@own}")
      @unsent.dup.each { |id| send_outcome(id) }
      read
    rescue Disconnected => e
      lose(e)
    end

    def read
      @link.receive { |kind, text| kind == :pong ? confirm(text) : take(text) }
    end

    # A broker that ends long connections is asked again soon; one that refuses, ever later. With
    # several brokers, each is asked once before the runner waits.
    def lose(error)
      steady = @link && Clock.now - @link.since >= STEADY
      @link&.close
      @link = nil
      @uris.rotate! unless steady
      @failures = steady ? 0 : @failures + 1
      rounds = @failures / @uris.size
      wait = if error.wait then error.wait * (1 + rand / 2)
             elsif @failures.zero? || (@failures % @uris.size).positive? then 0.2 + rand * 1.8
             else LADDER[[rounds, LADDER.size].min - 1] * (0.75 + rand / 2)
             end
      @retry_at = Clock.now + wait
      @log.warning("#{error.message}; the next attempt is in #{wait.round(1)} s")
    end

    def wait
      times = [@purge_at, @link ? @ping_at : @retry_at]
      times << Clock.now + 1 unless @adopted.empty?
      reading = [@wake, @link&.io].compact
      writing = @link&.pending? ? [@link.io] : []
      IO.select(reading, writing, nil, [times.min - Clock.now, 0].max)
      @wake.read_nonblock(100, exception: false)
      reopen if @reopening
      take_ended
      return if @link.nil?
      read
      @link.flush
      ping if Clock.now >= @ping_at
    rescue Disconnected => e
      lose(e)
    end

    def reopen
      @reopening = false
      @log.reopen
    rescue SystemCallError => e
      @log.error("the log cannot be opened again: #{e.message}")
    end

    def ping
      raise Disconnected, close('consecutive onPongTimeouts') if @missed > @settings['allowed-keepalive-timeouts']
      @missed += 1
      @ping_at = Clock.now + @settings['ping-interval']
      send_ping
    end

    def close(reason)
      @link.close(1000, reason)
      reason
    end

    def send_ping
      @pings += 1
      @link.send_frame(9, @pings.to_s)
    end

    # The broker has read all that was sent before the ping.
    def confirm(text)
      @missed = 0
      @confirming.select { |_, ping| ping <= text.to_i }.each_key do |id|
        @confirming.delete(id)
        @unsent.delete(id)
        @spool.mark_sent(id, true)
      end
    end

    def take(text)
      message = JSON.parse(text)
      type = message['message_type'].to_s.delete_prefix(PREFIX)
      case type
      when 'rpc_blocking_request', 'rpc_non_blocking_request' then take_request(message, type == 'rpc_blocking_request')
      when 'error_message' then take_error(message)
      else @log.debug("ignored a message of the type #{type}")
      end
    rescue JSON::ParserError, TypeError, NoMethodError => e
      @log.warning("ignored a message that is no PCP message: #{e.message[0, 200]}")
    end

    # A result that could not be delivered is sent again with the next connection.
    def take_error(message)
      @log.warning("the broker refused a message: #{message['data']}")
      id = @sent_ids&.delete(message['in_reply_to'])
      return if id.nil?
      @confirming.delete(id)
      @unsent |= [id]
      @spool.mark_sent(id, false)
    end

    def take_request(message, blocking)
      request = { 'id' => message['id'], 'sender' => message['sender'], 'blocking' => blocking, 'data' => message['data'] }
      return refuse_message(request, 'Message not authorized.') unless controller?(request['sender'])
      return refuse_message(request, message.key?('data') ? 'invalid data' : 'no data') unless whole?(request['data'], blocking)
      @log.info("#{label(request)} by #{request['sender']}")
      problem = check(request)
      return refuse(request, problem) if problem
      answer(request)
    rescue Refused, SystemCallError => e
      refuse(request, e.message)
    end

    # Other agents may send messages, too; none of them may have a node do anything.
    def controller?(sender)
      return false unless %r{\Apcp://[^/]*/(?!agent\z)[^/]+\z}.match?(sender.to_s)
      given = @settings['controller-uris']
      given.empty? || given.any? { |pattern| File.fnmatch(pattern, sender) }
    end

    def whole?(data, blocking)
      form = { 'transaction_id' => String, 'module' => String, 'action' => String, 'params?' => Hash }
      Forms.fits?(form, data) && (blocking || [true, false].include?(data['notify_outcome']))
    end

    def label(request)
      data = request['data']
      Spool.label('blocking' => request['blocking'], 'module' => data['module'], 'action' => data['action'],
                  'transaction_id' => data['transaction_id'])
    end

    def check(request)
      data = request['data']
      name = "#{data['module']} #{data['action']}"
      return "unknown module: #{data['module']}" unless Forms::MODULES.include?(data['module'])
      return "unknown action '#{data['action']}' for module '#{data['module']}'" unless Forms::ALL.key?(name)
      if !request['blocking'] && Forms::BLOCKING.include?(data['module'])
        return "the module '#{data['module']}' supports only blocking PXP requests"
      end
      params = data.fetch('params', {})
      valid = Forms.fits?(Forms::ALL[name], params) && !(name == 'task run' && params['files'].empty?)
      "invalid input for #{label(request)}" unless valid
    end

    def answer(request)
      data = request['data']
      params = data.fetch('params', {})
      case data['module']
      when 'ping' then respond(request, 'request_hops' => [])
      when 'echo' then respond(request, 'outcome' => params['argument'])
      when 'status' then answer_status(request, params['transaction_id'])
      else request['blocking'] ? start(request, ".blocking-#{OpenSSL::Random.random_bytes(8).unpack1('H*')}") : accept(request)
      end
    end

    # A repeated transaction never runs twice.
    def accept(request)
      id = request['data']['transaction_id']
      @spool.path(id)
      start(request, id) unless @actions.key?(id) || @adopted.include?(id) || @spool.known?(id)
      send_message('rpc_provisional_response', request['sender'], 'transaction_id' => id)
    end

    def start(request, name)
      data = request['data']
      if @actions.size >= @settings['max-actions'] + @settings['max-waiting-actions']
        raise Refused, "failed to start action task: #{@actions.size} actions wait already"
      end
      folder = File.join(@spool.root, name)
      Files.make_folder(folder)
      metadata = { 'requester' => request['sender'], 'request_id' => request['id'], 'request_params' => '{}',
                   'notify_outcome' => data['notify_outcome'] || false, 'status' => 'running', 'blocking' => request['blocking'],
                   'start' => Time.now.utc.strftime('%Y-%m-%dT%H:%M:%S.%6NZ') }
      order = { 'settings' => @settings.to_h.merge('action-seconds' => @settings.duration('action-timeout')), 'folder' => folder,
                'params' => data.fetch('params', {}), 'metadata' => metadata.merge(data.slice('transaction_id', 'module', 'action')) }
      spawn_action(name, JSON.generate(order))
      @actions[name] = request
    end

    # The parameters may be secrets: they go through a pipe, not through a file.
    def spawn_action(name, order)
      reader, writer = IO.pipe(binmode: true)
      command = [RbConfig.ruby, '--disable=gems', File.expand_path(__FILE__), '--run-action']
      pid = Process.spawn(*command, in: reader, out: File::NULL, err: File::NULL, umask: 0o077)
      reader.close
      Thread.new do
        begin
          writer.write(order)
          writer.close
        rescue SystemCallError
          nil
        end
        Process.wait(pid)
        @ended << name
        wake
      end
    end

    def take_ended
      until @ended.empty?
        name = @ended.pop
        request = @actions.delete(name)
        request['blocking'] ? end_blocking(request, name) : end_action(name)
      end
      @adopted.dup.each { |id| end_action(id) unless Spool.alive?(@spool.path(id)) }
    end

    def end_action(id)
      @adopted.delete(id)
      found = @spool.settle(id)
      @log.info("#{Spool.label(found)} has ended: #{found['execution_error'] || found['status']}")
      return unless found['notify_outcome'] && found['status'] != 'undetermined'
      @unsent << id
      send_outcome(id) if @link
    rescue Refused, SystemCallError => e
      @log.error("#{id}: #{e.message}")
    end

    def send_outcome(id)
      found = @spool.settle(id)
      message = send_results(found, @spool.path(id), 'rpc_non_blocking_response')
      (@sent_ids ||= {})[message] = id
      @sent_ids.shift if @sent_ids.size > 1000
      send_ping
      @confirming[id] = @pings
    rescue Refused, SystemCallError, JSON::ParserError => e
      @unsent.delete(id)
      @log.error("#{id}: #{e.message}")
    end

    def end_blocking(request, name)
      folder = File.join(@spool.root, name)
      found = JSON.parse(Files.read(File.join(folder, 'metadata')))
      send_results(found, folder, 'rpc_blocking_response') if @link
    rescue SystemCallError, JSON::ParserError => e
      refuse(request, "Failed to execute the task for the #{label(request)}. Unexpected error: #{e.message}") if @link
    ensure
      Files.remove(folder)
    end

    # Sends the results of an action, or why there are none. Returns the id of the message.
    def send_results(metadata, folder, type)
      request = { 'id' => metadata['request_id'], 'sender' => metadata['requester'],
                  'data' => { 'transaction_id' => metadata['transaction_id'] } }
      return refuse(request, metadata['execution_error']) if metadata['execution_error']
      bytes = @spool.output_bytes(folder, metadata)
      return refuse(request, too_large(bytes)) if bytes > @settings['max-message-size']
      respond(request, @spool.results(folder, metadata), type)
    end

    def answer_status(request, id)
      unless Spool::ID.match?(id) && (@actions.key?(id) || @spool.known?(id))
        missing = { 'transaction_id' => id, 'status' => 'unknown', 'stdout' => Spool.error_text('found no results directory') }
        return respond(request, missing)
      end
      return respond(request, 'transaction_id' => id, 'status' => 'running') if @actions.key?(id)
      found = @spool.settle(id)
      bytes = @spool.output_bytes(@spool.path(id), found)
      return refuse(request, too_large(bytes)) if bytes > @settings['max-message-size']
      respond(request, @spool.status(id, found))
    rescue Refused => e
      respond(request, 'transaction_id' => id, 'status' => 'unknown', 'stdout' => Spool.error_text(e.message))
    end

    def too_large(bytes)
      "Message size: #{bytes} exceeded max-message-size #{@settings['max-message-size']}"
    end

    def respond(request, results, type = 'rpc_blocking_response')
      data = { 'transaction_id' => request['data']['transaction_id'], 'results' => results }
      text = JSON.generate(data)
      return refuse(request, too_large(text.bytesize)) if text.bytesize > @settings['max-message-size']
      send_message(type, request['sender'], data)
    end

    def refuse(request, description)
      @log.error("#{request['data']['transaction_id']}: #{description}")
      data = { 'transaction_id' => request['data']['transaction_id'], 'id' => request['id'], 'description' => description }
      send_message('rpc_error_message', request['sender'], data)
    end

    def refuse_message(request, description)
      @log.warning("refused a message by #{request['sender']}: #{description}")
      send_message('error_message', request['sender'], description, request['id'])
    end

    def send_message(type, target, data, in_reply_to = nil)
      id = OpenSSL::Random.random_bytes(16).unpack('H8H4H4H4H12').join('-')
      message = { 'id' => id, 'message_type' => PREFIX + type, 'target' => target, 'sender' => @own, 'data' => data }
      message['in_reply_to'] = in_reply_to if in_reply_to
      text = JSON.generate(message)
      @link.send_frame(1, text)
      GC.start if text.bytesize > MEBIBYTE
      id
    end
  end

  def self.main(arguments)
    return Action.main if arguments == ['--run-action']
    return puts(VERSION) if arguments == ['--version']
    at = arguments.index('--config-file')
    settings = Settings.new(at && arguments[at + 1])
    log = Log.new(settings['logfile'], settings['loglevel'])
    log.info("understudy-runner #{VERSION}, Ruby #{RUBY_VERSION}")
    settings.ignored.each { |name| log.info("Ignoring unrecognized option '#{name}'") }
    runner = Runner.new(settings, log)
    arguments.include?('--service') ? as_service(runner) : runner.run
  rescue Refused, SystemCallError => e
    warn("understudy-runner: #{e.message}")
    exit(2)
  end

  # A service of Windows, by the classes of Puppet's own service.
  def self.as_service(runner)
    require 'puppet/util/windows/daemon'
    daemon = Class.new(Puppet::Util::Windows::Daemon) do
      define_method(:service_main) { |*| runner.run }
      define_method(:service_stop) { runner.stop }
    end
    daemon.mainloop
  end
end

UnderstudyRunner.main(ARGV.dup) if $PROGRAM_NAME == __FILE__
