type Profile::Ensure = Enum[present, absent]
