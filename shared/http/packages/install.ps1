# Installs an agent of OpenVox or Puppet and points it at @SERVER@.
# Arguments: SECTION:SETTING=VALUE, custom_attributes:NAME=VALUE, extension_requests:NAME=VALUE
param(
  [Parameter(ValueFromRemainingArguments = $true)] [object[]] $Arguments = @(),
  [string[]] $PackageName = @('openvox-agent', 'puppet-agent'),
  [string] $PuppetServiceEnsure = 'running',
  [string] $PuppetServiceEnable = 'true'
)
$ErrorActionPreference = 'Stop'
$server = '@SERVER@'
$port = '@PORT@'
$base = "https://$($server):$($port)/packages/@VERSION@/windows-x86_64"
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
Write-Output "The agent is installed and asks $($server):$port."
