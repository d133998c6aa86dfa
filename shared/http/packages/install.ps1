# Installs an agent of OpenVox or Puppet and points it at @SERVER@.
# Arguments: SECTION:SETTING=VALUE, custom_attributes:NAME=VALUE, extension_requests:NAME=VALUE
# -Runner yes|no: whether the orchestrator can have this node run Puppet and tasks; by default it
# can when OpenVox is installed and the server has a broker.
param(
  [Parameter(ValueFromRemainingArguments = $true)] [object[]] $Arguments = @(),
  [string[]] $PackageName = @('openvox-agent', 'puppet-agent'),
  [string] $PuppetServiceEnsure = 'running',
  [string] $PuppetServiceEnable = 'true',
  [ValidateSet('', 'yes', 'no')] [string] $Runner = ''
)
$ErrorActionPreference = 'Stop'
$server = '@SERVER@'
$port = '@PORT@'
$packages = "https://$($server):$($port)/packages/@VERSION@"
$base = "$packages/windows-x86_64"
# PowerShell takes a,b for a list: what has no section belongs to what stands before it.
$given = @()
foreach ($argument in $Arguments) {
  $text = $argument -join ','
  if ($text -notmatch '^\w+:' -and $given.Count -gt 0) { $given[-1] += ",$text" } else { $given += $text }
}
$settings = @(); $attributes = @(); $extensions = @()
foreach ($argument in $given) {
  if ($argument -match '^custom_attributes:([^=]+)=(.*)$') { $attributes += , @($Matches[1], $Matches[2]) }
  elseif ($argument -match '^extension_requests:([^=]+)=(.*)$') { $extensions += , @($Matches[1], $Matches[2]) }
  elseif ($argument -match '^(main|agent|server|user):([^=]+)=(.*)$') { $settings += , @($Matches[1], $Matches[2], $Matches[3]) }
  else { throw "unknown argument '$argument': SECTION:SETTING=VALUE is expected" }
}
# The first contact believes what it sees, as that of an agent does; the checksum finds what was cut
# off.
[System.Net.ServicePointManager]::SecurityProtocol = [System.Net.SecurityProtocolType]::Tls12
[System.Net.ServicePointManager]::ServerCertificateValidationCallback = { $true }
# Programs do not stop a script when they fail.
function Invoke-Puppet {
  & $puppet @args
  if ($LASTEXITCODE -ne 0) { throw "puppet $args ended with $LASTEXITCODE" }
}
$puppet = Join-Path $env:ProgramFiles 'Puppet Labs\Puppet\bin\puppet.bat'
if (-not (Test-Path $puppet)) {
  $client = New-Object System.Net.WebClient
  $msi = $null
  foreach ($name in $PackageName) {
    $file = Join-Path $env:TEMP "$name.msi"
    try {
      $client.DownloadFile("$base/$name.msi", $file)
      $want = $client.DownloadString("$base/$name.msi.sha256").Split(' ')[0]
    } catch {
      if ([int] $_.Exception.GetBaseException().Response.StatusCode -eq 404) { continue }
      throw "$base/$name.msi cannot be fetched: $($_.Exception.Message)"
    }
    if ((Get-FileHash -Algorithm SHA256 $file).Hash -ne $want) { throw "$name.msi is not what its checksum says" }
    $msi = $file
    break
  }
  if ($null -eq $msi) { throw "there is no $($PackageName -join '.msi or ').msi at $base" }
  $install = Start-Process msiexec.exe -Wait -PassThru -ArgumentList "/qn /norestart /i ""$msi"" PUPPET_SERVER=$server PUPPET_AGENT_STARTUP_MODE=Disabled"
  if (@(0, 3010) -notcontains $install.ExitCode) { throw "msiexec ended with $($install.ExitCode)" }
}
$lines = @('---')
function Add-Pairs([string] $title, $pairs) {
  if ($pairs.Count -eq 0) { return }
  $script:lines += "$($title):"
  foreach ($pair in $pairs) { $script:lines += "  $($pair[0]): '$($pair[1].Replace("'", "''"))'" }
}
Add-Pairs 'custom_attributes' $attributes
Add-Pairs 'extension_requests' $extensions
if ($lines.Count -gt 1) {
  $confdir = Invoke-Puppet config print confdir --section agent
  [System.IO.File]::WriteAllLines((Join-Path $confdir 'csr_attributes.yaml'), [string[]] $lines)
}
Invoke-Puppet config set server $server --section main
if ($port -ne '8140') { Invoke-Puppet config set serverport $port --section main }
foreach ($setting in $settings) { Invoke-Puppet config set $setting[1] $setting[2] --section $setting[0] }
Invoke-Puppet resource service puppet "ensure=$PuppetServiceEnsure" "enable=$PuppetServiceEnable" | Out-Null
$brokerPort = 8142
function Test-Broker {
  try {
    $status = (New-Object System.Net.WebClient).DownloadString("https://$($server):$($brokerPort)/status/v1/simple/broker-service")
    return $status -match 'running'
  } catch { return $false }
}
function Test-OpenVox {
  $keys = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\*'
  return $null -ne (Get-ItemProperty $keys -ErrorAction SilentlyContinue | Where-Object { $_.DisplayName -match 'OpenVox' })
}
# The agent's own Ruby runs it as a service, by the classes of Puppet's service.
function Install-Runner {
  $folder = Join-Path $env:ProgramData 'PuppetLabs\understudy-runner'
  $program = Join-Path $folder 'understudy-runner.rb'
  $root = Join-Path $env:ProgramFiles 'Puppet Labs\Puppet'
  New-Item -ItemType Directory -Force $folder | Out-Null
  # Only administrators may write what the service runs.
  & icacls.exe $folder /inheritance:r /grant:r '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' | Out-Null
  if ($LASTEXITCODE -ne 0) { throw "the rights of $folder cannot be set" }
  $client = New-Object System.Net.WebClient
  $client.DownloadFile("$packages/understudy-runner.rb", "$program.new")
  $want = $client.DownloadString("$packages/understudy-runner.rb.sha256").Split(' ')[0]
  if ((Get-FileHash -Algorithm SHA256 "$program.new").Hash -ne $want) { throw 'the runner is not what its checksum says' }
  Move-Item -Force "$program.new" $program
  $settings = @{
    'broker-ws-uris' = @("wss://$($server):$($brokerPort)/pcp2/"); 'primary-uris' = @("https://$($server):$($port)")
    'puppet-bin' = $puppet; 'logfile' = (Join-Path $folder 'runner.log')
  }
  [System.IO.File]::WriteAllText((Join-Path $folder 'runner.conf'), (ConvertTo-Json $settings))
  $ruby = Join-Path $root 'puppet\bin\ruby.exe'
  $command = """$ruby"" -I ""$root\puppet\lib"" ""$program"" --service"
  if ($null -eq (Get-Service understudy-runner -ErrorAction SilentlyContinue)) {
    New-Service -Name understudy-runner -BinaryPathName $command -StartupType Automatic -DisplayName 'Understudy runner' | Out-Null
  }
  Restart-Service understudy-runner
  Write-Output "The runner is installed and connects to $($server):$($brokerPort)."
}
if ($Runner -eq 'yes' -or ($Runner -eq '' -and (Test-OpenVox) -and (Test-Broker))) { Install-Runner }
Write-Output "The agent is installed and asks $($server):$port."
