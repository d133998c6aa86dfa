# How wide a frame must be.
#
# @param message the first line
# @param contacts the lines after it
# @return the number of characters of the longest line
function motd::width(String $message, Array[String] $contacts) >> Integer {
  $lines = [$message] + $contacts.map |$contact| { "  - ${contact}" }
  $lines.map |$line| { $line.length }.max
}
