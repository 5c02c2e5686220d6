"""This machine: its cores, its folders, files that appear whole, and native code tried in a child process."""
