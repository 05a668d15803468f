"""The command line: one small file per command that parses, calls one public function and prints."""
